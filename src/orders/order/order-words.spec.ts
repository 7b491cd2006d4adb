import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ORDER_STATE_NAMES } from './order-states.js';
import { wordsOf } from './order-words.js';

const told = { renews: null, reason: null, cancelAskedAt: null };
const textOf = (order: Parameters<typeof wordsOf>[0]) => Object.values(wordsOf(order)).join(' ');

describe('the words for an order', () => {
  it.each(ORDER_STATE_NAMES.filter((state) => state !== 'waiting_for_drop'))(
    'that renews a name speak of no registration of a name: %s',
    (state) => {
      const [renewal, registration] = [
        { ...told, state, renews: 'id' },
        { ...told, state },
      ];
      expect(textOf(renewal)).not.toMatch(/registered|order of|yours/i);
      expect(wordsOf(renewal).title).not.toBe(wordsOf(registration).title);
    },
  );

  it('that waits say why where there is a reason, and no other order does', () => {
    const stopped = ORDER_STATE_NAMES.filter((state) =>
      textOf({ ...told, state, reason: 'why' }).includes('{reason}'),
    );
    expect(stopped).toEqual(['approved', 'waiting_for_drop']);
  });
});

it('refusals of orders have their words in the catalogue', () => {
  const folder = join(__dirname, '..');
  const throwing = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      /(?<!\.spec)\.ts$/.test(file) && /new ApiError\(/.test(readFileSync(join(folder, file), 'utf8')),
  );
  expect(throwing.sort()).toEqual(['ledger/refusals.ts', 'order/order-words.ts']);
});
