import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';

export const MAX_REASON_LENGTH = 500;

/** A change that an operator has asked for: the audit log has all of it. */
export interface Order {
  /** Such as `operator:alice`. */
  readonly actor: string;
  /** The network it came from, shortened; null: the command line. */
  readonly from: string | null;
  readonly reason: string;
}

/** The body of a change. */
export class ReasonBody {
  @ApiProperty({
    description: 'Why, for the audit log.',
    minLength: 3,
    maxLength: MAX_REASON_LENGTH,
    example: 'asked for by its owner, ticket 4711',
  })
  @Length(3, MAX_REASON_LENGTH, { message: `reason must be 3 to ${MAX_REASON_LENGTH} characters` })
  @IsString({ message: `reason must be 3 to ${MAX_REASON_LENGTH} characters` })
  reason: string;
}

/** The answer to a change. */
export class Done {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ description: 'Whether anything is different now.', example: true })
  changed: boolean;
}

export const done = (changed: boolean): Done => ({ ok: true, changed });
