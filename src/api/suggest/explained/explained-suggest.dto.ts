import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema, OmitType } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional, Matches } from 'class-validator';
import { DomainDto } from '../../../domains/schema/domain.dto.js';
import { LABEL_LENGTH, type MatchMode, SUFFIXES, type Suffix } from '../../../domains/schema/domain.js';
import {
  KEYWORD,
  KeywordMode,
  MAX_KEYWORD_LENGTH,
  OneOrMoreOf,
  Score,
} from '../../../domains/name/name-parameters.js';
import { IsIntegerFrom } from '../../../validation/numbers.js';
import { DEFAULT_SUGGESTIONS, MAX_SUGGESTIONS, MostSuggestions, SuggestResult } from '../suggest.dto.js';

/** Each is a question of its own. */
const MAX_KEYWORDS = 5;
const MAX_EXCLUDED = 10;
const GLOB = /^[a-z0-9*?-]{1,64}$/;

function Keywords(description: string, max: number, example: string[]): PropertyDecorator {
  const rule = {
    message: `$property must be a list of 1 to ${max} texts, each 1 to ${MAX_KEYWORD_LENGTH} characters of a-z, 0-9 and hyphen`,
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

function Suffixes(description: string, example: Suffix[]): PropertyDecorator {
  const items = { type: 'string' as const, enum: [...SUFFIXES] };
  return applyDecorators(
    ApiPropertyOptional({ description, type: 'array', items, maxItems: SUFFIXES.length, example }),
    OneOrMoreOf(SUFFIXES),
  );
}

function Length(description: string, example: number): PropertyDecorator {
  const { min, max } = LABEL_LENGTH;
  return applyDecorators(
    ApiPropertyOptional({ description, type: 'integer', minimum: min, maximum: max, example }),
    IsOptional(),
    IsIntegerFrom(min, max),
  );
}

@ApiSchema({ name: 'SuggestRequest', description: 'What the names are to be like. All of it is optional.' })
export class SuggestRequest {
  @Keywords('Names with any of these, as mode says.', MAX_KEYWORDS, ['coffee', 'espresso'])
  keywords?: string[];

  @KeywordMode()
  mode: MatchMode = 'contains';

  @Keywords('Names with none of these anywhere in the label.', MAX_EXCLUDED, ['shop'])
  exclude?: string[];

  @ApiPropertyOptional({
    description:
      'What the whole label must be like: `*` stands for any characters or none, `?` for one, the others for themselves.',
    type: String,
    pattern: GLOB.source,
    example: '*shop*24',
  })
  @IsOptional()
  @Matches(GLOB, { message: 'glob must be 1 to 64 characters of a-z, 0-9, hyphen, * and ?' })
  glob?: string;

  @Length('Fewest characters of the label.', 4)
  min_length?: number;

  @Length('Most characters of the label.', 12)
  max_length?: number;

  @Score('Smallest archive score.', { default: 0, example: 10 })
  min_wayback = 0;

  @Suffixes('Only these suffixes; left out: all.', ['com.au'])
  tld?: Suffix[];

  @Suffixes(
    'Only labels that are on offer under every one of these, as far as the dataset knows. Without tld, names of these suffixes.',
    ['com.au', 'au'],
  )
  available_in?: Suffix[];

  @MostSuggestions()
  limit = DEFAULT_SUGGESTIONS;
}

@ApiSchema({ name: 'Explanation', description: 'Why a name is in the list, and where.' })
export class Explanation {
  @ApiProperty({ description: 'Its place in the list, from 1.', type: 'integer', minimum: 1, example: 3 })
  rank: number;

  @ApiProperty({
    description: 'The keywords that it has, in the order in which they were given.',
    type: [String],
    example: ['coffee'],
  })
  keywords: string[];

  @ApiProperty({
    description: 'What put it behind the name before it: a lower archive score, or the order of names.',
    enum: ['first', 'wayback', 'name'],
    example: 'wayback',
  })
  behind_by: 'first' | 'wayback' | 'name';

  @ApiProperty({
    description: 'The same in words.',
    example: 'Archive score 412, 88 below the name before it; has coffee; matches *24.',
  })
  text: string;
}

@ApiSchema({ name: 'ExplainedDomain', description: 'An available name, and why it is where it is.' })
export class ExplainedDomain extends DomainDto {
  @ApiProperty({ type: Explanation, description: 'Why it is here.' })
  why: Explanation;
}

@ApiSchema({
  name: 'ExplainedSuggestResult',
  description: 'Available names, ranked by archive score, highest first, each with its reasons.',
})
export class ExplainedSuggestResult extends OmitType(SuggestResult, [
  'query',
  'mode',
  'min_wayback',
  'tld',
  'results',
] as const) {
  @ApiProperty({
    type: [ExplainedDomain],
    description: 'Ranked by wayback, highest first; names of one score in byte order.',
    maxItems: MAX_SUGGESTIONS,
  })
  results: ExplainedDomain[];
}
