import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FOLDER } from '../../config/project-folder.js';

/** Comforts only: a live check in place, more rows, a countdown, a copy button. Read once, as its address holds its version. */
export const SCRIPT = readFileSync(join(PROJECT_FOLDER, 'assets', 'site.js'), 'utf8');
