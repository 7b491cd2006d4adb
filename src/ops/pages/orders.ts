import { counted, fillIn, t } from '../../texts/texts.js';
import { ORDER_STATES } from '../../orders/order/order-states.js';
import { wordsOf } from '../../orders/order/order-words.js';
import type { AnswerOf } from '../answers.js';
import { momentInWords } from '../../web/layout/words.js';
import {
  act,
  type Block,
  blocksOf,
  type Cell,
  cellOf,
  chip,
  labelOf,
  type PageRequest,
  plain,
} from './blocks.js';

/** Stops, undecided orders and balances. */
export async function showOrdering({ services, now }: PageRequest): Promise<Block[]> {
  const back = '/ops/orders';
  const [ordering, { orders }, { disputes }] = await Promise.all([
    services.orders.read(),
    services.orders.listUndecided(),
    services.orders.listDisputes(),
  ]);
  const {
    takes_orders: takes,
    stops,
    balances,
    ledger_differences: differences,
    waiting_credits: credits,
  } = ordering;
  return [
    {
      heading: t.ops.ordering,
      lead: takes ? t.ops.orderingOpen : t.ops.orderingStopped,
      heads: [t.ops.stoppedBy, t.ops.why, t.ops.since],
      rows: stops.map(({ reason, words, since }) => ({
        cells: [plain(reason), plain(words), cellOf(since, now)],
        links: [act(t.ops.clear, 'clearStop', { stop: reason }, back)],
      })),
      empty: t.ops.noStop,
      links: [
        act(t.ops.stopOrdering, 'stopOrdering', {}, back),
        act(t.ops.creditAnAccount, 'creditAccount', {}, back),
        { words: t.ops.registrars, href: '/ops/registrars' },
      ],
    },
    {
      heading: t.ops.undecided,
      heads: [t.ops.order, t.ops.name, t.ops.state, t.ops.placed, t.ops.cents],
      rows: orders.map((order) => ({
        cells: [
          { words: order.number, href: `/ops/orders/${order.id}` },
          plain(order.domain),
          stateOf(order),
          cellOf(order.placed_at, now),
          cellOf(order.total_cents, now),
        ],
      })),
      empty: t.ops.allOutcomesKnown,
    },
    ...blocksOf({ balances }, now),
    ...(differences.length > 0 ? [{ heading: t.ops.ledgerWrong, lead: differences.join('. ') }] : []),
    ...blocksOf({ waiting_credits: credits }, now, (_, { id }) => [
      act(t.ops.approve, 'approveCredit', { id: String(id) }, back),
    ]),
    ...blocksOf({ disputes }, now, (_, { account }) =>
      typeof account === 'string' ? [act(t.ops.letItOrder, 'thawAccount', { id: account }, back)] : [],
    ),
  ];
}

/** Health of the registrars, and where they differ from the orders. */
export async function showRegistrars({ services, now }: PageRequest): Promise<Block[]> {
  const { registrars, findings, findings_all: all } = await services.orders.readRegistrars();
  return [
    {
      heading: t.ops.differences,
      ...(all > 0 && { lead: fillIn(t.ops.differencesFound, { differences: counted(all, 'difference') }) }),
      heads: [t.ops.registrar, t.ops.what, t.ops.name, t.ops.eachSideHas, t.ops.since],
      rows: findings.map(({ registrar, kind, subject, words, found_at: at }) => ({
        cells: [plain(registrar), chip(labelOf(kind), 'gone'), plain(subject), plain(words), cellOf(at, now)],
      })),
      empty: t.ops.noDifferences,
      links: [
        act(t.ops.compareNow, 'runJob', { name: 'registrar-reconcile' }, '/ops/registrars'),
        { words: t.ops.orders, href: '/ops/orders' },
      ],
    },
    ...registrars.flatMap(({ name, ...facts }) => blocksOf(facts, now, () => [], name)),
    ...(registrars.length > 0 ? [] : [{ heading: t.ops.registrars, lead: t.ops.noRegistrars }]),
  ];
}

/** The state of an order in words. */
function stateOf({
  state,
  renews,
  reason,
  give_back_asked_at: asked,
}: AnswerOf<'UndecidedOrders'>['orders'][number]): Cell {
  const words = wordsOf({ state, renews, reason, cancelAskedAt: asked === null ? null : new Date(asked) });
  return chip(words.chip, words.tone);
}

export async function showOrder({ services, now, id }: PageRequest): Promise<Block[]> {
  const { exchanges, attempts, ...order } = await services.orders.show(id);
  const ended = attempts.map(({ ended_as: as, ...one }) => ({
    ...one,
    ended_as: as && t.ops.attemptEnds[as],
  }));
  const [facts = {}, ...others] = blocksOf({ ...order, attempts: ended }, now);
  const said = blocksOf({ exchanges: exchanges.map(({ request: _, reply: __, ...one }) => one) }, now);
  const texts = exchanges.flatMap(({ command, sent_at: at, request, reply }) =>
    [
      { words: t.ops.request, text: request },
      { words: t.ops.reply, text: reply },
    ].flatMap(({ words, text }) => {
      const values = { command, time: momentInWords(new Date(at)) };
      return text === null ? [] : [{ words: fillIn(words, values), text: indented(text) }];
    }),
  );
  const { is } = ORDER_STATES[order.state];
  const wasLate = order.state !== 'registered' && attempts.some((one) => one.executed_late_at !== null);
  const links = [
    ...(is === 'live'
      ? [
          act(t.ops.settleByEvidence, 'settleOrder', { id }, '/ops/orders'),
          act(t.ops.releaseWithAReason, 'releaseOrder', { id }, '/ops/orders'),
        ]
      : []),
    ...(wasLate ? [act(t.ops.bookAsKept, 'keepLateOrder', { id }, '/ops/orders')] : []),
  ];
  const stated = facts.facts?.map(
    ([name, cell]) => [name, name === t.ops.state ? stateOf(order) : cell] as const,
  );
  // Facts alone fill the screen of a telephone.
  return [
    ...(links.length > 0 ? [{ links }] : []),
    { ...facts, ...(stated && { facts: stated }) },
    ...others,
    ...said.map((block) => ({ ...block, texts })),
  ];
}

/** XML with a line for each element; it may be cut, or something else. */
function indented(text: string): string {
  if (!text.startsWith('<')) return text;
  let depth = 0;
  const lines = text.replace(/>\s*</g, '>\n<').split('\n');
  return lines
    .map((line) => {
      if (line.startsWith('</')) depth = Math.max(0, depth - 1);
      const shown = '  '.repeat(depth) + line;
      if (/^<[^?!/]/.test(line) && !/<\/|\/>$/.test(line)) depth += 1;
      return shown;
    })
    .join('\n');
}
