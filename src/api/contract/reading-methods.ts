import type { clientServices, devRows } from './client-services.ts';

/** The `dev.*` methods that change nothing. A new method counts as one that changes the node until it is listed here. */
const readingDevMethods: ReadonlySet<string> = new Set<keyof typeof devRows>([
  'accounts',
  'listAtomic',
  'getMempool',
  'getTime',
  'explainTx',
  'decode',
  'getTxLifecycle',
  'getUTXO',
  'getAsset',
  'nodeInfo',
  'listSnapshots',
  'diff',
]);

/** The methods of AvalancheGo's services that change a chain. */
const changingMethods: ReadonlySet<string> = new Set([
  'avm.issueTx',
  'wallet.issueTx',
] satisfies `${keyof typeof clientServices}.issueTx`[]);

/** Whether a method of the Node RPC, by its full name such as `avm.getHeight`, only reads. */
export function onlyReads(method: string): boolean {
  const [service, name = ''] = method.split('.', 2);
  return service === 'dev' ? readingDevMethods.has(name) : !changingMethods.has(method);
}
