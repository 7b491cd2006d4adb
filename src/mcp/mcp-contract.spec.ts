import type { OpenAPIObject } from '@nestjs/swagger';
import { inlineSchema, withoutExamples } from './mcp-contract.js';

const document: OpenAPIObject = {
  openapi: '3.1.0',
  info: { title: '', version: '' },
  paths: {},
  components: {
    schemas: {
      Rate: {
        type: 'object',
        description: 'A budget.',
        properties: { left: { type: 'integer', example: 4 } },
      },
      Answer: {
        type: 'object',
        properties: {
          rate: { description: 'What is left.', allOf: [{ $ref: '#/components/schemas/Rate' }] },
          rates: { type: 'array', items: { $ref: '#/components/schemas/Rate' } },
          maybe: { anyOf: [{ $ref: '#/components/schemas/Rate' }, { type: 'null' }] },
        },
        required: ['rate'],
      },
      Loop: { type: 'object', properties: { self: { $ref: '#/components/schemas/Loop' } } },
      Lost: { $ref: '#/components/schemas/Nowhere' },
    },
  },
};

describe('inlineSchema', () => {
  it('replaces every reference by what it names; the words beside the reference win', () => {
    const rate = {
      type: 'object',
      description: 'A budget.',
      properties: { left: { type: 'integer', examples: [4] } },
    };
    expect(inlineSchema(document, 'Answer')).toEqual({
      type: 'object',
      properties: {
        rate: { ...rate, description: 'What is left.' },
        rates: { type: 'array', items: rate },
        maybe: { anyOf: [rate, { type: 'null' }] },
      },
      required: ['rate'],
    });
  });

  it('leaves the document as it was', () => {
    const before = structuredClone(document);
    withoutExamples(inlineSchema(document, 'Answer'));
    expect(document).toEqual(before);
  });

  it.each(['Loop', 'Lost', 'Nowhere'])('refuses %s, which cannot be written out', (name) => {
    expect(() => inlineSchema(document, name)).toThrow(/cannot be written out|no component Nowhere/);
  });
});

describe('withoutExamples', () => {
  it('drops them at every depth and keeps a property of that name', () => {
    const schema = {
      examples: [1],
      properties: { examples: { type: 'string', examples: ['x'] } },
      items: { anyOf: [{ examples: [2], type: 'null' }] },
    };
    expect(withoutExamples(schema)).toEqual({
      properties: { examples: { type: 'string' } },
      items: { anyOf: [{ type: 'null' }] },
    });
  });
});
