import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

const YES_OR_NO = ['true', 'false'];

/** The parameter by which a caller has the registry asked, where what is known would do otherwise. */
export function AskRegistry(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, enum: YES_OR_NO, default: 'false', example: 'true' }),
    IsOptional(),
    IsIn(YES_OR_NO, { message: '$property must be true or false' }),
  );
}
