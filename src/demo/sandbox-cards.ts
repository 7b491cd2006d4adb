import { createHmac, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SANDBOX_HOST, serveOnLoopback } from './sandbox-server.js';

interface SandboxSession {
  readonly id: string;
  readonly payment: string;
  readonly cents: number;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly returnUrl: string;
  /** In seconds. */
  readonly expiresAt: number;
  readonly account: string;
  isPaid: boolean;
}

interface SandboxRefund {
  readonly id: string;
  readonly object: 'refund';
  readonly payment_intent: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** An event of the provider, without what the service does not read. */
export interface SandboxEvent {
  readonly type: string;
  readonly object: Readonly<Record<string, unknown>>;
}

export interface SandboxCards {
  /** What STRIPE_URL takes. */
  readonly url: string;
  readonly key: string;
  readonly secret: string;
  readonly sessions: ReadonlyMap<string, SandboxSession>;
  readonly refunds: readonly SandboxRefund[];
  /** What the next requests are answered with instead, and then executed all the same or not. */
  readonly faults: ('lost' | 'refused' | 'away')[];
  /** What happened, the oldest first, with their ids and seconds; the provider keeps them for thirty days. */
  readonly events: (SandboxEvent & { readonly id: string; readonly created: number })[];
  /** Where events are sent; none before it is known. */
  deliverTo(address: string): void;
  /** A person pays. @returns its event */
  pay(id: string): SandboxEvent;
  /** The text of an event, and its signature, like Stripe's. */
  sign(event: SandboxEvent, id?: string): { readonly body: string; readonly signature: string };
  close(): Promise<void>;
}

/** The settings of a service that takes its play money. */
export function settingsOf({ key, secret, url }: SandboxCards): Record<string, string> {
  return { STRIPE_API_KEY: key, STRIPE_WEBHOOK_SECRET: secret, STRIPE_URL: url, STRIPE_SOURCE: 'sandbox' };
}

const KEY = 'sk_test_sandbox';
const MAX_BODY_BYTES = 65_536;

/**
 * A made-up card provider: opens pages that pay play money, refunds, and signs its events like Stripe.
 *
 * @param port 0: a free one
 */
export async function startSandboxCards(port: number): Promise<SandboxCards> {
  const sessions = new Map<string, SandboxSession>();
  const refunds: SandboxRefund[] = [];
  const events: SandboxCards['events'] = [];
  const answers = new Map<string, object>();
  const faults: SandboxCards['faults'] = [];
  const secret = `whsec_${randomUUID().replaceAll('-', '')}`;
  let receiver: string | undefined;

  const sign = ({ type, object }: SandboxEvent, id = `evt_${randomUUID()}`) => {
    const created = Math.floor(Date.now() / 1_000);
    const body = JSON.stringify({ id, object: 'event', type, created, data: { object } });
    const digest = createHmac('sha256', secret).update(`${created}.${body}`).digest('hex');
    return { body, signature: `t=${created},v1=${digest}` };
  };
  const send = async (event: SandboxEvent) => {
    if (receiver === undefined) return;
    const { body, signature } = sign(event);
    const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': signature };
    await fetch(`${receiver}/payments/stripe`, { method: 'POST', headers, body }).catch(() => undefined);
  };
  const happen = (event: SandboxEvent): SandboxEvent => {
    events.push({ ...event, id: `evt_${randomUUID()}`, created: Math.floor(Date.now() / 1_000) });
    return event;
  };
  const pay = (id: string): SandboxEvent => {
    const session = sessions.get(id);
    if (!session) throw new Error(`there is no session ${id}`);
    session.isPaid = true;
    const { payment, cents, currency, metadata, account } = session;
    return happen({
      type: 'checkout.session.completed',
      object: {
        ...{ id, object: 'checkout.session', payment_intent: payment, payment_status: 'paid' },
        ...{ amount_total: cents, currency, metadata, client_reference_id: account },
      },
    });
  };
  const openSession = (form: URLSearchParams): object => {
    const id = `cs_test_${randomUUID()}`;
    sessions.set(id, {
      ...{ id, payment: `pi_${randomUUID()}`, isPaid: false, metadata: metadataOf(form) },
      cents: Number(form.get('line_items[0][price_data][unit_amount]')),
      currency: form.get('line_items[0][price_data][currency]') ?? '',
      returnUrl: form.get('success_url') ?? '/',
      expiresAt: Number(form.get('expires_at')),
      account: form.get('client_reference_id') ?? '',
    });
    return { id, object: 'checkout.session', url: `http://${SANDBOX_HOST}:${server.port}/pay/${id}` };
  };
  const makeRefund = (form: URLSearchParams): object => {
    const refund: SandboxRefund = {
      ...{ id: `re_${randomUUID()}`, object: 'refund', status: 'succeeded', metadata: metadataOf(form) },
      ...{ payment_intent: form.get('payment_intent') ?? '', amount: Number(form.get('amount')) },
      currency: 'aud',
    };
    refunds.push(refund);
    void send(happen({ type: 'refund.created', object: { ...refund } }));
    return refund;
  };

  const answerApi = async (request: IncomingMessage, response: ServerResponse, url: URL) => {
    const fault = faults.shift();
    if (request.headers.authorization !== `Bearer ${KEY}`)
      return answer(response, 401, problem('the key is unknown'));
    if (fault === 'away') return request.socket.destroy();
    if (fault === 'refused') return answer(response, 400, problem('refused'));
    if (request.method === 'GET' && url.pathname === '/v1/events')
      return answer(response, 200, pageOfEvents(events, url.searchParams));
    if (request.method === 'GET' && url.pathname === '/v1/refunds') {
      const data = refunds.filter((one) => one.payment_intent === url.searchParams.get('payment_intent'));
      return answer(response, 200, { object: 'list', data, has_more: false });
    }
    const make = { '/v1/checkout/sessions': openSession, '/v1/refunds': makeRefund }[url.pathname];
    if (request.method !== 'POST' || !make) return answer(response, 404, problem('there is no such call'));
    const form = new URLSearchParams(await readText(request));
    const key = `${url.pathname} ${String(request.headers['idempotency-key'])}`;
    const made = answers.get(key) ?? make(form);
    answers.set(key, made);
    return fault === 'lost' ? request.socket.destroy() : answer(response, 200, made);
  };

  const answerPage = async ({ method }: IncomingMessage, response: ServerResponse, id: string) => {
    const session = sessions.get(id);
    if (!session) return response.writeHead(404).end();
    if (method === 'POST') {
      if (!session.isPaid) await send(pay(id));
      return response.writeHead(303, { Location: session.returnUrl }).end();
    }
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    return response.end(page(session));
  };

  const server = await serveOnLoopback(port, (request, response) => {
    const url = new URL(request.url ?? '/', 'http://sandbox');
    const [, first, id = ''] = url.pathname.split('/');
    const answered = first === 'pay' ? answerPage(request, response, id) : answerApi(request, response, url);
    void answered.catch(() => response.destroy());
  });
  return {
    ...{ url: `http://${SANDBOX_HOST}:${server.port}`, key: KEY, secret, sessions, refunds, faults, events },
    ...{ pay, sign, close: server.close },
    deliverTo(address) {
      receiver = address;
    },
  };
}

/** The newest first, as the provider lists them. */
function pageOfEvents(events: SandboxCards['events'], query: URLSearchParams): object {
  const types = [...query].flatMap(([name, value]) => (name.startsWith('types') ? [value] : []));
  const listed = events.filter(
    ({ type, created }) => types.includes(type) && created >= Number(query.get('created[gte]')),
  );
  const before = listed.findIndex(({ id }) => id === query.get('starting_after'));
  const left = before < 0 ? listed : listed.slice(0, before);
  const page = left.slice(-Number(query.get('limit'))).reverse();
  return {
    ...{ object: 'list', url: '/v1/events', has_more: page.length < left.length },
    data: page.map(({ id, type, created, object }) => ({
      ...{ id, object: 'event', type, created, data: { object } },
    })),
  };
}

function metadataOf(form: URLSearchParams): Record<string, string> {
  const fields = [...form].flatMap(([name, value]) => {
    const found = /^metadata\[(\w+)\]$/.exec(name)?.[1];
    return found === undefined ? [] : [[found, value] as const];
  });
  return Object.fromEntries(fields);
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) {
    text += String(part);
    if (text.length > MAX_BODY_BYTES) throw new Error('the body is too long');
  }
  return text;
}

function answer(response: ServerResponse, status: number, body: object): ServerResponse {
  return response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function problem(message: string): object {
  return { error: { type: 'invalid_request_error', message } };
}

function page({ cents }: SandboxSession): string {
  const amount = `A$ ${(cents / 100).toFixed(2)}`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Play money</title>
<body style="font: 1.1rem system-ui; color-scheme: light dark; max-width: 30rem; margin: 4rem auto; padding: 1rem">
<h1>Play money</h1><p>This demo takes no card. ${amount} of play money is added to your balance.</p>
<form method="post"><button>Pay ${amount} of play money</button></form></body></html>`;
}
