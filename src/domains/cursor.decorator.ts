import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { MAX_CURSOR_LENGTH } from './page-cursor.js';

/** The parameter `cursor`. @param from what gave it out, such as `page` */
export function Cursor(from: string, description: string): PropertyDecorator {
  const rule = { message: `cursor must be the next_cursor of an earlier ${from}` };
  return applyDecorators(
    ApiPropertyOptional({ description, type: String, maxLength: MAX_CURSOR_LENGTH }),
    IsOptional(),
    IsString(rule),
    MaxLength(MAX_CURSOR_LENGTH, rule),
  );
}
