import {
  acceptedContent,
  type CallToolResult,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  type InputRequests,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { randomBytes } from 'node:crypto';

type Answer = CallToolResult | InputRequiredResult;

// State travels through the client, so it is signed: the suite tampers with it.
const codec = createRequestStateCodec<{ round: number }>({ key: randomBytes(32) });

export function readState(state: string, context: ServerContext): Promise<unknown> {
  return codec.verify(state, context);
}

/** Tools and a prompt of revision 2026-07-28 that ask for input by answering "input required". */
export function registerInputRequired(server: McpServer): void {
  const tool = (name: string, run: (context: ServerContext) => Answer | Promise<Answer>) =>
    server.registerTool(name, { description: `Fixture ${name}` }, run);

  tool('test_input_required_result_elicitation', (context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, 'user_name');
    return typeof given?.name === 'string' ? said(`Hello, ${given.name}!`) : needs({ user_name: NAME });
  });
  tool('test_input_required_result_sampling', (context) =>
    has(context, 'capital_question') ? said(given(context)) : needs({ capital_question: CAPITAL }),
  );
  tool('test_input_required_result_list_roots', (context) =>
    has(context, 'client_roots') ? said(given(context)) : needs({ client_roots: ROOTS }),
  );
  tool('test_input_required_result_multiple_inputs', async (context) => {
    if (['user_name', 'greeting', 'client_roots'].every((key) => has(context, key)))
      return said(given(context));
    const inputRequests = { user_name: NAME, greeting: GREETING, client_roots: ROOTS };
    return inputRequired({ inputRequests, requestState: await codec.mint({ round: 1 }) });
  });
  for (const name of ['request_state', 'tampered_state'])
    tool(`test_input_required_result_${name}`, async (context) => {
      const round = roundOf(context);
      if (round === 1 && has(context, 'confirm')) return said('state-ok');
      return inputRequired({
        inputRequests: { confirm: CONFIRM },
        requestState: await codec.mint({ round: 1 }),
      });
    });
  tool('test_input_required_result_multi_round', async (context) => {
    const round = roundOf(context);
    if (round === 2 && has(context, 'step2')) return said(given(context));
    const next = round === 1 && has(context, 'step1') ? 2 : 1;
    const inputRequests: InputRequests = next === 2 ? { step2: COLOUR } : { step1: STEP_NAME };
    return inputRequired({ inputRequests, requestState: await codec.mint({ round: next }) });
  });
  tool('test_input_required_result_capabilities', (context) => {
    if (has(context, 'ask')) return said(given(context));
    const { sampling, elicitation } = server.server.getClientCapabilities() ?? {};
    if (sampling) return needs({ ask: CAPITAL });
    return elicitation ? needs({ ask: NAME }) : said('The client can be asked nothing.');
  });
  // Asks for what the client did not declare: the SDK turns that into MissingRequiredClientCapability.
  tool('test_missing_capability', () => needs({ ask: CAPITAL }));
  tool('test_streaming_elicitation', (context) =>
    has(context, 'user_name') ? said(given(context)) : needs({ user_name: NAME }),
  );
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Needs a context.' },
    (context) => {
      if (!has(context, 'user_context')) return needs({ user_context: CONTEXT });
      return { messages: [{ role: 'user', content: { type: 'text', text: given(context) } }] };
    },
  );
}

const form = (message: string, key: string, field: { type: 'string' } | { type: 'boolean' }) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [key]: field }, required: [key] },
  });
const sample = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens });

const NAME = form('What is your name?', 'name', { type: 'string' });
const STEP_NAME = form('Step 1: What is your name?', 'name', { type: 'string' });
const COLOUR = form('Step 2: What is your favorite color?', 'color', { type: 'string' });
const CONFIRM = form('Please confirm', 'ok', { type: 'boolean' });
const CONTEXT = form('What context should the prompt use?', 'context', { type: 'string' });
const CAPITAL = sample('What is the capital of France?', 100);
const GREETING = sample('Generate a greeting', 50);
const ROOTS = inputRequired.listRoots();

function needs(inputRequests: InputRequests): InputRequiredResult {
  return inputRequired({ inputRequests });
}

function has({ mcpReq }: ServerContext, key: string): boolean {
  return inputResponse(mcpReq.inputResponses, key).kind !== 'missing';
}

function given({ mcpReq }: ServerContext): string {
  return JSON.stringify(mcpReq.inputResponses);
}

function roundOf({ mcpReq }: ServerContext): number {
  return mcpReq.requestState<{ round: number }>()?.round ?? 0;
}

function said(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}
