import { defaultOf, kindOf, type Setting } from './setting.js';
import { SETTING_NAMES, SETTINGS } from './settings.js';

const WIDTH = 118;

/** The text of `.env.example`, which `npm run contract` writes. */
export function envExample(): string {
  const entries = rows().map(({ name, setting }) => {
    const value = defaultOf(setting);
    const comment = wrap(setting.words, WIDTH).map((line) => `# ${line}`);
    return [...comment, value === undefined ? `#${name}=` : `${name}=${value}`].join('\n');
  });
  return [
    '# Every setting, with its default. Made from src/config/settings.ts (npm run contract).',
    ...entries,
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n');
}

/** What `node dist/main.js --help` prints. */
export function settingsHelp(): string {
  const entries = rows().map(({ name, setting }) => {
    const value = defaultOf(setting);
    const unset = setting.isSecret ? `secret, also as a file: ${name}_FILE` : 'unset by default';
    const facts = `${kindOf(setting)}; ${value === undefined ? unset : `default ${value}`}`;
    return [`${name} (${facts})`, ...wrap(setting.words, WIDTH - 2).map((line) => `  ${line}`)].join('\n');
  });
  return ['Bowerbird reads these variables of its environment.', ...entries, ''].join('\n\n');
}

/** The settings that most installations set, as docs/operations/install.md shows them. */
export function essentialSettings(): string {
  const essential = rows().filter(({ setting }) => setting.isEssential);
  return essential.map(({ name, setting }) => `- \`${name}\`: ${setting.words}`).join('\n');
}

function rows(): { readonly name: string; readonly setting: Setting }[] {
  return SETTING_NAMES.map((name) => ({ name, setting: SETTINGS[name] }));
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
