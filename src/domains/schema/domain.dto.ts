import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import {
  ARCHIVE,
  EVIDENCE,
  type Field,
  type FieldName,
  fieldOf,
  type FieldType,
  PLAIN,
  RESTRICTED,
  type ShapeOf,
  wireNameOf,
} from './fields.js';

const SCHEMAS: Readonly<Record<FieldType, ApiPropertyOptions>> = {
  text: { type: String },
  integer: { type: 'integer' },
  boolean: { type: Boolean },
  date: { type: String, format: 'date' },
  time: { type: String, format: 'date-time' },
  link: { type: String, format: 'uri' },
};

/** The nine fields of the specification's Domain: what every tier sees. */
@ApiSchema({ name: 'Domain', description: 'A dropped .au domain name of the dataset.' })
export class DomainDto extends shapeOf(RESTRICTED) {}

@ApiSchema({ name: 'Evidence', description: 'What the dataset has a name for, and how it knows.' })
export class EvidenceDto extends shapeOf(EVIDENCE) {}

@ApiSchema({ name: 'Archive', description: 'What the web archive has of a name.' })
export class ArchiveDto extends shapeOf(ARCHIVE) {}

/** The Domain with what the tiers with full fields see beside it. */
@ApiSchema({
  name: 'FullDomain',
  description: 'A dropped .au domain name with every field: the shape of the tiers whose fields are full.',
})
export class FullDomainDto extends shapeOf(PLAIN) {
  @ApiProperty({ type: ArchiveDto, description: 'What the web archive has of the name.' })
  archive: ArchiveDto;
}

/** Describes rows whose shape depends on the tier. */
export const TIER_SHAPES = {
  anyOf: [{ $ref: getSchemaPath(FullDomainDto) }, { $ref: getSchemaPath(DomainDto) }],
};

/** A class with a property for each field, described as the table has it. */
function shapeOf<Name extends FieldName>(names: readonly Name[]): Type<ShapeOf<Name>> {
  class Shape {}
  for (const name of names) ApiProperty(propertyOf(fieldOf(name)))(Shape.prototype, wireNameOf(name));
  return Shape as Type<ShapeOf<Name>>;
}

function propertyOf({ type, nullable, values, description, example, ...limits }: Field): ApiPropertyOptions {
  const { minimum, maximum } = limits;
  return {
    ...(values ? { enum: [...values] } : SCHEMAS[type]),
    description,
    ...(nullable && { nullable }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    example,
  };
}
