import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsOptional, Matches } from 'class-validator';
import { LABEL_LENGTH, SUFFIXES, type Suffix } from '../domain.js';
import { DOMAIN_STATES } from '../states.js';
import { KEYWORD, MAX_KEYWORD_LENGTH, OneOrMoreOf } from '../../name/name-parameters.js';
import { TRI_STATES } from './filter.js';
import { GLOB } from './glob.js';
import { ChoiceParameter, IntegerParameter } from '../../../validation/shape.js';

// The rules of parameters that only filters have; the others are in name-parameters.ts.

export function Characters(
  description: string,
  example: number,
  { min, max }: { readonly min: number; readonly max: number } = LABEL_LENGTH,
): PropertyDecorator {
  return IntegerParameter(min, max, description, { example });
}

export function Has(what: string): PropertyDecorator {
  return ChoiceParameter(TRI_STATES, `Names with ${what}: allow them, exclude them, or only them.`, {
    default: 'allow',
    example: 'exclude',
  });
}

export function State(): PropertyDecorator {
  const names = Object.keys(DOMAIN_STATES);
  return ChoiceParameter(
    names,
    `Which names, by what they are in the dataset. Only \`available\` is on offer, and only it is for ` +
      'every tier; the others need full fields.',
    { default: 'available', example: 'purged' },
  );
}

export function Stale(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description:
        'Names that were available when they were last asked about, which is too long ago to offer ' +
        'them: `exclude` them, or `include` them beside those that are on offer. They say `available: ' +
        'false`.',
      enum: ['exclude', 'include'],
      default: 'exclude',
      example: 'include',
    }),
    IsOptional(),
    IsIn(['exclude', 'include'], { message: 'stale must be one of exclude, include' }),
  );
}

export function Keywords(description: string, max: number, example: string[]): PropertyDecorator {
  const rule = {
    message:
      `$property must be a list of 1 to ${max} texts, each 1 to ${MAX_KEYWORD_LENGTH} characters of a-z, ` +
      '0-9 and hyphen',
  };
  return applyDecorators(
    ApiPropertyOptional({
      ...{ description, example, minItems: 1, maxItems: max, type: 'array' },
      items: { type: 'string', pattern: KEYWORD.source },
    }),
    IsOptional(),
    Matches(KEYWORD, { ...rule, each: true }),
    ArrayMaxSize(max, rule),
    ArrayMinSize(1, rule),
    IsArray(rule),
  );
}

export function Glob(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description:
        'What the whole label must be like: `*` stands for any characters or none, `?` for one, the ' +
        'others for themselves.',
      type: String,
      pattern: GLOB.source,
      example: '*shop*24',
    }),
    IsOptional(),
    Matches(GLOB, { message: 'glob must be 1 to 64 characters of a-z, 0-9, hyphen, * and ?' }),
  );
}

export function Suffixes(description: string, example: Suffix[]): PropertyDecorator {
  const items = { type: 'string' as const, enum: [...SUFFIXES] };
  return applyDecorators(
    ApiPropertyOptional({ description, type: 'array', items, maxItems: SUFFIXES.length, example }),
    OneOrMoreOf(SUFFIXES),
  );
}
