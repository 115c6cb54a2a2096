import type { FlagDefinition } from './flag-definition.ts';

/** Flags of `serac testnet`. */
export const testnetFlags = {
  avalanchego: { group: 'Testnet', commands: ['testnet'], kind: 'path', help: 'an AvalancheGo 1.14 binary, for --avalanchego-nodes' },
  'avalanchego-nodes': {
    group: 'Testnet',
    commands: ['testnet'],
    kind: 'integer',
    default: '0',
    max: 20,
    help: 'AvalancheGo nodes beside the Serac nodes',
  },
} as const satisfies { readonly [name: string]: FlagDefinition };
