import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';

const ROW = { type: 'object', additionalProperties: true } as const;

/** Rows as they are stored: an operator wants to see what is there, and not what we make of it. */
type Stored = Readonly<Record<string, unknown>>;

export class NameAddress {
  @ApiProperty({ description: 'The name.', example: 'surf.com.au' })
  @MaxLength(255, { message: 'domain must be a name' })
  @IsString({ message: 'domain must be a name' })
  domain: string;
}

@ApiSchema({
  name: 'NameEvidence',
  description: 'All that the dataset has of a name, as it is stored: who said what, and when.',
})
export class NameEvidence {
  @ApiProperty({ description: 'Always true on success.', enum: [true], example: true })
  ok: true;

  @ApiProperty({ description: 'The name.', example: 'surf.com.au' })
  domain: string;

  @ApiProperty({
    ...ROW,
    nullable: true,
    description: 'Its row: state, whose word it rests on, list, purge, score; null: it has none.',
  })
  row: Stored | null;

  @ApiProperty({ ...ROW, nullable: true, description: 'The answer of a registry that is kept.' })
  registry_answer: Stored | null;

  @ApiProperty({ ...ROW, nullable: true, description: 'When it is asked about again while it is on offer.' })
  recheck: Stored | null;

  @ApiProperty({ ...ROW, nullable: true, description: 'Questions about it that found no answer.' })
  question_failure: Stored | null;

  @ApiProperty({ ...ROW, nullable: true, description: 'What the web archive has of it, and its score.' })
  archive: Stored | null;

  @ApiProperty({
    type: 'array',
    items: ROW,
    description: 'What was told of it, the newest first; 200 at most.',
  })
  events: Stored[];

  @ApiProperty({
    type: 'array',
    items: ROW,
    description: 'When it was drawn by lot and the registry asked whether its offer was true; 50 at most.',
  })
  samples: Stored[];

  @ApiProperty({ type: 'array', items: ROW, description: 'What operators did to it; 50 at most.' })
  audit: Stored[];
}
