import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsISO8601, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { MAX_CURSOR_LENGTH } from './page-cursor.js';
import { IntegerParameter } from '../../validation/shape.js';

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

/** Of lists that cost no records. */
export const MAX_LISTED = 100;
export const USUALLY_LISTED = 25;

/** The parameter `limit` of such a list: 1 to {@link MAX_LISTED}. */
export function PageLimit(description: string): PropertyDecorator {
  return IntegerParameter(1, MAX_LISTED, description, { default: USUALLY_LISTED, example: USUALLY_LISTED });
}

const RULE = {
  message:
    '$property must be an ISO 8601 time from 1970 on with its offset (at most 14:00), such as ' +
    '2026-11-20T00:00:00Z or 2026-11-20T11:00:00+11:00',
};

/** A parameter that is a moment: ISO 8601 with an offset. PostgreSQL reads what it lets through, to the microsecond. */
export function Moment(description: string, example: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, type: String, format: 'date-time', example }),
    IsOptional(),
    // A plus sign that was not percent-encoded arrives as a space, and there it can be nothing else.
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? value.replace(/ (?=\d\d:?\d\d$)/, '+') : value,
    ),
    IsISO8601({ strict: true, strictSeparator: true }, RULE),
    // The widest offset on earth is 14 hours; PostgreSQL takes less than 16.
    Matches(
      /^(19[7-9]|[2-9]\d\d)\d-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)$/,
      RULE,
    ),
  );
}
