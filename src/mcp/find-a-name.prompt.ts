import {
  completable,
  fromJsonSchema,
  type GetPromptResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { SUFFIXES } from '../domains/schema/domain.js';
import { template } from '../web/layout/templates.js';
import { type McpFeature, QUOTA_RULE } from './mcp-identity.js';

const NAME = 'find_a_name';
const MAX_IDEA_LENGTH = 500;
const RATE_RULE = 'Read rate in every answer; when remaining is 0, wait reset_in seconds.';

interface FindANameArguments {
  business_idea: string;
  tld?: string;
}

const DESCRIBED = fromJsonSchema<FindANameArguments>({
  type: 'object',
  properties: {
    business_idea: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_IDEA_LENGTH,
      description: 'What the business does and for whom, in a sentence or two.',
    },
    // Validated below: the validator would refuse a wrong value without naming the right ones.
    tld: { type: 'string', description: 'Only this suffix; left out: all.' },
  },
  required: ['business_idea'],
  additionalProperties: false,
});
// The SDK looks for completions in `shape`, which plain JSON Schema lacks.
const SHAPE = { tld: completable(fromJsonSchema<string>({ type: 'string' }), completeSuffix) };
const ARGUMENTS = { ...DESCRIBED, shape: SHAPE };

const promptText = template<{ idea: string; tld: string | undefined; budgetRule: string }>('find-a-name');

/** From a business idea to a registrable name, within a small budget. */
@Injectable()
export class FindANamePrompt implements McpFeature {
  private readonly budgetRule: string;

  constructor({ auth }: Config) {
    this.budgetRule = auth.enabled ? `${RATE_RULE} ${QUOTA_RULE}` : RATE_RULE;
  }

  register(server: McpServer): void {
    const title = 'Find a name for a business idea';
    const description =
      'Finds available .au names that fit an idea, checks the best and hands over the checkout link.';
    server.registerPrompt(NAME, { title, description, argsSchema: ARGUMENTS }, (given) =>
      askFor(given, this.budgetRule),
    );
  }
}

function askFor({ business_idea, tld }: FindANameArguments, budgetRule: string): GetPromptResult {
  // A form sends an empty field as empty text.
  if (tld && !SUFFIXES.some((suffix) => suffix === tld))
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `tld must be one of ${SUFFIXES.join(', ')}, or be left out`,
    );
  const text = promptText({ idea: JSON.stringify(business_idea), tld, budgetRule });
  return {
    description: 'From an idea to a name',
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

function completeSuffix(begun: string): string[] {
  const start = begun.toLowerCase().replace(/^\./, '');
  return SUFFIXES.filter((suffix) => suffix.startsWith(start));
}
