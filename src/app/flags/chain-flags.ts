import type { FlagDefinition } from './flag-definition.ts';

/** Commands that open the chains of a network, served or stored. */
const opensChains = ['server', 'storage'] as const;

/** Flags of the network, the chain and where it is stored. */
export const chainFlags = {
  'network-id': {
    group: 'Network',
    commands: opensChains,
    kind: 'network',
    default: 'local',
    help: 'local, fuji, mainnet or the ID of a custom network',
  },
  'genesis-file': { group: 'Network', commands: opensChains, kind: 'path', help: "AvalancheGo's genesis JSON for a custom network" },
  'genesis-file-content': {
    group: 'Network',
    commands: opensChains,
    kind: 'text',
    help: 'the genesis JSON in base64; takes precedence over --genesis-file',
  },
  'tx-fee': { group: 'Network', kind: 'u64', help: "transaction fee in nAVAX (the network's own); has no effect on fuji and mainnet" },
  'create-asset-tx-fee': {
    group: 'Network',
    kind: 'u64',
    help: "fee of a CreateAssetTx in nAVAX (the network's own); has no effect on fuji and mainnet",
  },

  chains: { group: 'Chain', commands: opensChains, kind: 'path', help: 'JSON file of additional AVM chains to run' },
  'min-block-delay': { group: 'Chain', kind: 'duration', help: 'minimum time between two blocks (0s; 1s for serac join)' },
  accounts: {
    group: 'Chain',
    commands: ['dev'],
    kind: 'integer',
    max: 500,
    help: 'accounts to derive from the mnemonic and fund in block 1 of a new chain; 0: none, the chain starts at height 0 (10; 0 with --strict)',
  },
  balance: { group: 'Chain', commands: ['dev'], kind: 'avax', default: '10000', help: 'AVAX of each account' },
  mnemonic: {
    group: 'Chain',
    commands: ['dev'],
    kind: 'text',
    help: 'mnemonic of the accounts (test test … junk); the keys of a given one are never shown',
  },
  'derivation-path': {
    group: 'Chain',
    commands: ['dev'],
    kind: 'text',
    default: "m/44'/9000'/0'/0",
    help: 'path of the accounts; the index of an account is appended',
  },
  'block-time': {
    group: 'Chain',
    kind: 'seconds',
    commands: ['dev'],
    max: 86_400,
    help: 'build a block every so many seconds if transactions wait, instead of as soon as there is one (-b)',
  },
  'no-mining': {
    group: 'Chain',
    kind: 'boolean',
    default: 'false',
    commands: ['dev'],
    help: 'build blocks only when dev.mine is called',
  },
  'mixed-mining': {
    group: 'Chain',
    kind: 'boolean',
    default: 'false',
    commands: ['dev'],
    help: 'with --block-time: also build a block as soon as there is a transaction',
  },
  'fork-url': {
    group: 'Chain',
    kind: 'url',
    commands: ['dev'],
    help: 'node to fork: its outputs are copied when they are first used; its network is used unless --network-id is given (-f)',
  },
  'fork-address': { group: 'Chain', kind: 'list', commands: ['dev'], help: 'with --fork-url: addresses to copy at the start' },

  'data-dir': {
    group: 'Storage',
    commands: [...opensChains, 'stop', 'status', 'logs', 'testnet kill', 'testnet freeze', 'testnet partition', 'testnet heal'],
    kind: 'path',
    help: 'directory for state and identity; without it the chain is kept in memory',
  },
  'db-type': {
    group: 'Storage',
    kind: 'choice',
    allowed: ['sqlite', 'memdb', 'leveldb', 'pebbledb'],
    help: 'sqlite (default with --data-dir) or memdb (in memory); leveldb and pebbledb are treated as sqlite',
  },
  state: {
    group: 'Storage',
    kind: 'path',
    commands: ['dev'],
    help: 'state file: loaded at start if it exists, saved at exit; for a chain in memory',
  },
  'load-state': { group: 'Storage', kind: 'path', commands: ['dev'], help: 'state file to load at start; it is not changed' },
  'dump-state': { group: 'Storage', kind: 'path', commands: ['dev'], help: 'state file to save at exit; it is not loaded' },
  'state-interval': {
    group: 'Storage',
    kind: 'integer',
    commands: ['dev'],
    default: '0',
    max: 86_400,
    help: 'seconds between saves of the state file; 0: only at exit',
  },
  workers: {
    group: 'Storage',
    kind: 'workers',
    default: 'auto',
    max: 256,
    help: 'number of reader processes beside the writer process, or auto',
  },
  'cache-bytes': {
    group: 'Storage',
    kind: 'integer',
    default: '201326592',
    max: 2 ** 40,
    help: 'memory for all caches of all processes, in bytes',
  },
  'database-url': {
    group: 'Storage',
    kind: 'url',
    commands: ['index', 'api', 'keys'],
    help: 'PostgreSQL database, postgres://user:password@host:5432/name',
  },
  'cache-url': {
    group: 'Storage',
    kind: 'url',
    help: 'Redis or Valkey, redis://host:6379, for rate limits and cached responses shared between processes',
  },
} as const satisfies { readonly [name: string]: FlagDefinition };
