import {
  type ContentBlock,
  fromJsonSchema,
  type McpServer,
  type PromptMessage,
  ResourceTemplate,
} from '@modelcontextprotocol/server';

// One red pixel, and a WAV file without samples.
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const IMAGE: ContentBlock = { type: 'image', data: PNG, mimeType: 'image/png' };

/** Every kind of content in tools, resources and prompts, and the keywords of JSON Schema 2020-12. */
export function registerContent(server: McpServer): void {
  answer(server, 'test_simple_text', [text('This is a simple text response for testing.')]);
  answer(server, 'test_image_content', [IMAGE]);
  answer(server, 'test_audio_content', [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }]);
  answer(server, 'test_embedded_resource', [
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ]);
  answer(server, 'test_multiple_content_types', [
    text('Multiple content types test:'),
    IMAGE,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ]);
  server.registerTool('test_error_handling', { description: 'Fails.' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: fromJsonSchema(SCHEMA_2020_12) },
    () => ({ content: [text('ok')] }),
  );
  server.registerTool(
    'test_mirrored_header',
    {
      description: 'Has an argument that clients repeat in a header.',
      inputSchema: fromJsonSchema(MIRRORED),
    },
    () => ({ content: [text('ok')] }),
  );
  registerResources(server);
  registerPrompts(server);
}

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const;

const MIRRORED = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  required: ['region'],
} as const;

function registerResources(server: McpServer): void {
  const fixed = (uri: string, mimeType: string, content: { text: string } | { blob: string }) =>
    server.registerResource(uri, uri, { description: `Fixture ${uri}`, mimeType }, () => ({
      contents: [{ uri, mimeType, ...content }],
    }));
  fixed('test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' });
  fixed('test://static-binary', 'image/png', { blob: PNG });
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Fixture with a parameter', mimeType: 'application/json' },
    (uri, { id }) => {
      const body = { id, templateTest: true, data: `Data for ID: ${String(id)}` };
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(body) }] };
    },
  );
}

function registerPrompts(server: McpServer): void {
  const says = (content: PromptMessage['content']): PromptMessage => ({ role: 'user', content });
  server.registerPrompt('test_simple_prompt', { description: 'A fixed text.' }, () => ({
    messages: [says(text('This is a simple prompt for testing.'))],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Repeats two arguments.', argsSchema: texts<'arg1' | 'arg2'>('arg1', 'arg2') },
    ({ arg1, arg2 }) => ({
      messages: [says(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Embeds a resource.', argsSchema: texts<'resourceUri'>('resourceUri') },
    ({ resourceUri }) => ({
      messages: [
        says(resource(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
        says(text('Please process the embedded resource above.')),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'Shows an image.' }, () => ({
    messages: [says(IMAGE), says(text('Please analyze the image above.'))],
  }));
}

function answer(server: McpServer, name: string, content: ContentBlock[]): void {
  server.registerTool(name, { description: `Fixture ${name}` }, () => ({ content }));
}

function text(words: string): ContentBlock {
  return { type: 'text', text: words };
}

function resource(uri: string, mimeType: string, words: string): ContentBlock {
  return { type: 'resource', resource: { uri, mimeType, text: words } };
}

function texts<Name extends string>(...names: Name[]) {
  return fromJsonSchema<Record<Name, string>>({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  });
}
