import { Socket } from 'node:net';
import type { DomainName } from '../domains/name/domain-name.js';
import { noAnswer, RegistryLookup, type Result, type Said } from './answer.js';
import { type Evidence, evidenceOfLine, NAME } from './evidence.js';
import { failureCodeOf } from './exchange.js';

/** A verdict is one short line; a longer answer does not come from the availability service. */
const MAX_ANSWER_BYTES = 4096;

/** The registry's plain TCP availability service: the name and a line end go out, one line comes back. */
export class AvailabilityServiceLookup extends RegistryLookup {
  readonly source = 'availability_service';

  constructor(
    private readonly server: { readonly host: string; readonly port: number },
    private readonly timeoutMs: number,
  ) {
    super();
  }

  get address(): string {
    return `${this.server.host}:${this.server.port}`;
  }

  async ask(domain: DomainName): Promise<Result<Said>> {
    const socket = new Socket();
    try {
      return await this.converse(socket, domain);
    } catch (error) {
      // An address that no socket takes is refused at once, not by an event.
      return noAnswer('unreachable', failureCodeOf(error));
    } finally {
      socket.destroy();
    }
  }

  private converse(socket: Socket, domain: DomainName): Promise<Result<Said>> {
    return new Promise((resolve) => {
      socket.connect({ ...this.server });
      const finish = (result: Result<Said>) => {
        clearTimeout(timer);
        resolve(result);
      };
      // One timer for all of it: a socket's own timeout starts again with every byte that trickles in.
      const timer = setTimeout(() => finish(noAnswer('timeout', `${this.timeoutMs} ms`)), this.timeoutMs);
      socket.on('error', (error) => finish(noAnswer('unreachable', failureCodeOf(error))));
      socket.on('close', () => finish(noAnswer('unreachable', 'closed without an answer')));
      socket.on('connect', () => socket.write(`${domain.domain}\r\n`));
      collect(socket, domain.domain, finish);
    });
  }
}

// The verdict counts only once the service has ended its side: half of "Not Available" is not an answer.
function collect(socket: Socket, domain: string, finish: (result: Result<Said>) => void): void {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (part: string) => {
    text += part;
    if (text.length > MAX_ANSWER_BYTES) finish(noAnswer('too_large', `more than ${MAX_ANSWER_BYTES} bytes`));
  });
  socket.on('end', () =>
    finish(
      text === ''
        ? noAnswer('unreachable', 'closed without an answer')
        : readAvailabilityAnswer(domain, text),
    ),
  );
}

/** What the service's text says, with the evidence that it was judged by. @param domain in lower case */
export function readAvailabilityAnswer(domain: string, text: string): Result<Said> {
  const evidence = evidenceOfLine(domain, text);
  return { ...judgeAvailability(evidence), evidence };
}

/**
 * What the evidence says, at once and in a replay: exactly one line that is not blank, read as a whole, because
 * "Available" is part of "Not Available". Some clients see dashes before the word. A name in front of it must be the
 * one that was asked.
 */
export function judgeAvailability({ text }: Evidence): Result<Said> {
  if (text === null) return noAnswer('not_understood', 'a long text instead of a line');
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim().toLowerCase())
    .filter(Boolean);
  const [line = ''] = lines;
  if (lines.length !== 1) return noAnswer('not_understood', `${lines.length} lines instead of one`);
  const isNamed = [' ', ':', '\t'].some((separator) => line.startsWith(NAME + separator));
  const verdict = (isNamed ? line.slice(NAME.length + 1) : line).replace(/^[\s-]+/, '');
  return VERDICTS.get(verdict) ?? noAnswer('not_understood', 'no verdict about the name');
}

const VERDICTS = new Map<string, Result<Said>>([
  ['available', { answered: true, state: 'available' }],
  // The service does not say why: the name is registered or, possibly, withheld. Nearly always it is registered, and
  // the service is never asked about names known to be reserved.
  ['not available', { answered: true, state: 'registered' }],
  ['not supported', noAnswer('not_served', 'NOT SUPPORTED')],
]);
