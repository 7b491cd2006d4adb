import {
  type CallToolResult,
  type ElicitRequestFormParams,
  fromJsonSchema,
  type McpServer,
} from '@modelcontextprotocol/server';

type Form = ElicitRequestFormParams['requestedSchema'];

// The answer never comes without a session; the SDK would wait a minute for it.
const ANSWER = { timeout: 5_000 };

/** Tools of the 2025 revisions that ask the client something while they work, as pushed requests. */
export function registerLegacyInput(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: 'Asks the client’s model.', inputSchema: oneText<'prompt'>('prompt') },
    async ({ prompt }, { mcpReq }) => {
      const { content } = await mcpReq.requestSampling(
        {
          messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
          maxTokens: 100,
        },
        ANSWER,
      );
      const words = !Array.isArray(content) && content.type === 'text' ? content.text : '';
      return said(`LLM response: ${words}`);
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user.', inputSchema: oneText<'message'>('message') },
    async ({ message }, { mcpReq }) => {
      const { action, content } = await mcpReq.elicitInput({ message, requestedSchema: ACCOUNT }, ANSWER);
      return said(`User response: action=${action}, content=${JSON.stringify(content)}`);
    },
  );
  ask(server, 'test_elicitation_sep1034_defaults', DEFAULTS);
  ask(server, 'test_elicitation_sep1330_enums', ENUMS);
}

function ask(server: McpServer, name: string, requestedSchema: Form): void {
  server.registerTool(name, { description: `Fixture ${name}` }, async ({ mcpReq }) => {
    const { action, content } = await mcpReq.elicitInput(
      { message: 'Please fill in', requestedSchema },
      ANSWER,
    );
    return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
  });
}

const ACCOUNT: Form = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
};

const DEFAULTS: Form = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
};

const TITLED = [
  { const: 'value1', title: 'First' },
  { const: 'value2', title: 'Second' },
  { const: 'value3', title: 'Third' },
];

const ENUMS: Form = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: TITLED },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: TITLED } },
  },
};

function said(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function oneText<Name extends string>(name: Name) {
  return fromJsonSchema<Record<Name, string>>({
    type: 'object',
    properties: { [name]: { type: 'string' } },
    required: [name],
  });
}
