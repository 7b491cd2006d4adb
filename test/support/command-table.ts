import type { CommandEntry } from '../../src/ops/command.js';
import { COMMANDS } from '../../src/ops/commands.js';
import { toMarkdown } from '../../src/validation/formats.js';

/** The operators' commands for docs/operations: at both doors by their first word, and at one door with the reason. */
export function commandTable(): string {
  const entries = Object.values<CommandEntry>(COMMANDS).filter((entry) => !('replaced' in entry));
  const shared = new Map<string, string[]>();
  for (const { words, only } of entries) {
    const [first = '', ...rest] = words?.split(' ') ?? [];
    if (only === undefined) shared.set(first, [...(shared.get(first) ?? []), rest.join(' ')]);
  }
  const groups = [...shared].map(([first, rest]) => {
    const others = rest.filter((word) => word !== '').join('|');
    if (others === '') return `\`${first}\``;
    return rest.includes('') ? `\`${first} [${others}]\`` : `\`${first} ${others}\``;
  });
  const alone = entries.flatMap((entry) => {
    if (entry.only === undefined) return [];
    return [[`\`${entry.words ?? ('route' in entry ? entry.route : '')}\``, entry.only]];
  });
  return `At both doors: ${groups.join(', ')}.\n\n${toMarkdown([['At one door', 'because'], ...alone])}`;
}
