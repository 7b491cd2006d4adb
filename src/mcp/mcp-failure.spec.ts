import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';
import { whatNext } from './mcp-failure.js';
import { toolsFor } from './tools.js';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const ARGUMENT = /\b(arguments?|domains?|q|token|date|first_seen_from|scope)\b/;

describe('what a failed tool says to do next', () => {
  it.each(toolsFor(true, true).map((tool) => [tool.name, tool] as const))(
    '%s: names a tool that the caller has, and an argument, for every code',
    (_name, tool) => {
      const isOpen = toolsFor(false, true).includes(tool);
      const callable = toolsFor(!isOpen, true).map(({ name }) => name);
      for (const code of CODES)
        for (const retryAfterSeconds of [undefined, 3_600]) {
          const text = whatNext({ code, retryAfterSeconds }, tool);
          const named = [
            ...text.matchAll(
              /\b[a-z]+_(?:domains?|stats|drops|since|report|filters|registration|status|eligibility)\b/g,
            ),
          ];
          expect([code, named.length > 0 || text.includes('usage')]).toEqual([code, true]);
          expect(named.map(([name]) => name).filter((name) => !callable.includes(name))).toEqual([]);
          expect([code, text]).toEqual([code, expect.stringMatching(ARGUMENT)]);
          expect(text).not.toMatch(/this address|\{tool\}/);
        }
    },
  );
});
