import { grouped } from '../../texts/texts.js';
import { act, type Block, blocksOf, cellOf, chip, labelOf, type PageRequest, plain } from './blocks.js';

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
      heading: 'Ordering',
      lead: takes ? 'Names can be ordered.' : 'No order begins. Those that have begun are settled.',
      heads: ['Stopped by', 'Why', 'Since'],
      rows: stops.map(({ reason, words, since }) => ({
        cells: [plain(reason), plain(words), cellOf(since, now)],
        links: [act('Clear', 'clearStop', { stop: reason }, back)],
      })),
      empty: 'No stop.',
      links: [
        act('Stop ordering', 'stopOrdering', {}, back),
        act('Credit an account', 'creditAccount', {}, back),
        { words: 'Registrars', href: '/ops/registrars' },
      ],
    },
    {
      heading: 'Undecided',
      heads: ['Order', 'Name', 'State', 'Placed', 'Cents'],
      rows: orders.map((order) => ({
        cells: [
          { words: order.number, href: `/ops/orders/${order.id}` },
          plain(order.domain),
          plain(order.state),
          cellOf(order.placed_at, now),
          cellOf(order.total_cents, now),
        ],
      })),
      empty: 'The outcome of every order is known.',
    },
    ...blocksOf({ balances }, now),
    ...(differences.length > 0
      ? [{ heading: 'The ledger does not add up', lead: differences.join('. ') }]
      : []),
    ...blocksOf({ waiting_credits: credits }, now, (_, { id }) => [
      act('Approve', 'approveCredit', { id: String(id) }, back),
    ]),
    ...blocksOf({ disputes }, now, (_, { account }) =>
      typeof account === 'string' ? [act('Let it order', 'thawAccount', { id: account }, back)] : [],
    ),
  ];
}

/** Health of the registrars, and where they differ from the orders. */
export async function showRegistrars({ services, now }: PageRequest): Promise<Block[]> {
  const { registrars, findings, findings_all: all } = await services.orders.readRegistrars();
  return [
    {
      heading: 'Differences',
      lead: `${all === 0 ? 'No' : grouped(all)} differences. Nothing is done about them by itself.`,
      heads: ['Registrar', 'What', 'Name', 'Each side has', 'Since'],
      rows: findings.map(({ registrar, kind, subject, words, found_at: at }) => ({
        cells: [plain(registrar), chip(labelOf(kind), 'gone'), plain(subject), plain(words), cellOf(at, now)],
      })),
      empty: 'None.',
      links: [
        act('Compare now', 'runJob', { name: 'registrar-reconcile' }, '/ops/registrars'),
        { words: 'Orders', href: '/ops/orders' },
      ],
    },
    ...registrars.flatMap(({ name, ...facts }) => blocksOf(facts, now, () => [], name)),
    ...(registrars.length > 0 ? [] : [{ heading: 'Registrars', lead: 'The settings name none.' }]),
  ];
}

export async function showOrder({ services, now, id }: PageRequest): Promise<Block[]> {
  const [facts = {}, ...others] = blocksOf({ ...(await services.orders.show(id)) }, now);
  const links = [
    act('Settle by evidence', 'settleOrder', { id }, '/ops/orders'),
    act('Release with a reason', 'releaseOrder', { id }, '/ops/orders'),
  ];
  return [{ ...facts, links }, ...others];
}
