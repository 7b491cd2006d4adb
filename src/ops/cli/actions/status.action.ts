import { OperatorStatus } from '../../http/status/operator-status.js';
import { print, withOperators } from './operators.action.js';

export async function printStatus(): Promise<void> {
  print(await withOperators(OperatorStatus, (status) => status.read()));
}
