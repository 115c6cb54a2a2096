import type { CommandDefinition } from './command-definition.ts';
import { testnetCommands } from './testnet-commands.ts';

/** The commands of the program, some of two words. The parser, the help texts and the completions read this table. */
export const commandTable = {
  dev: {
    kind: 'server',
    args: [],
    help: "run a developer's chain: Node RPC, Data API and Metrics API; the default",
    examples: ['', '--data-dir ~/chain', '-p 9700 --json', '--strict'],
  },
  follow: {
    kind: 'server',
    args: ['URL'],
    help: 'serve the same APIs for the X-Chain of a running node',
    examples: ['follow http://127.0.0.1:9650 -p 9750 --data-dir ~/followed'],
  },
  join: {
    kind: 'server',
    args: [],
    help: 'join a network of AvalancheGo and Serac nodes: vote, build blocks, and serve the same APIs',
    examples: [
      'join --network-id local --sybil-protection-enabled=false --bootstrap-ips 127.0.0.1:9651 --bootstrap-ids NodeID-… --staking-port 9661 -p 9660',
      'join --network-id 1337 --genesis-file genesis.json --validators-from http://10.0.0.1:9650 --bootstrap-ips 10.0.0.1:9651 --bootstrap-ids NodeID-… --data-dir ~/joined',
    ],
  },
  testnet: {
    kind: 'server',
    args: ['NODES'],
    help: 'run a network of nodes on this machine, each in a process of its own',
    examples: [
      'testnet 5',
      'testnet 3 -p 9700 --data-dir ~/testnet',
      'testnet 2 --avalanchego ~/avalanchego --avalanchego-nodes 3',
      'testnet 3 --network-id 1337 --upgrade-at 1m',
      'testnet kill 2',
    ],
  },
  index: {
    kind: 'server',
    args: ['URL'],
    help: 'follow a node and write its history to PostgreSQL',
    examples: ['index http://127.0.0.1:9650 --database-url postgres://localhost/serac'],
  },
  api: {
    kind: 'server',
    args: [],
    help: 'serve the Data and Metrics APIs from that PostgreSQL',
    examples: ['api --database-url postgres://localhost/serac -p 9800'],
  },
  keys: {
    kind: 'storage',
    args: ['create|list|revoke', '[ID]'],
    help: 'manage API keys in a data directory or in PostgreSQL',
    examples: ['keys create --data-dir ~/chain --name alice --expires 30d', 'keys list --data-dir ~/chain'],
  },
  check: {
    kind: 'storage',
    args: [],
    help: 'verify the data directory of a stopped node or a backup, or a PostgreSQL database in a copy of it; exits with 4 if it is damaged',
    examples: ['check --data-dir ~/chain', 'check --database-url postgres://user:password@host/name --data-dir ~/copy'],
  },
  reindex: {
    kind: 'storage',
    args: [],
    help: 'rebuild the history index of a data directory',
    examples: ['reindex --data-dir ~/chain'],
  },
  backup: {
    kind: 'storage',
    args: ['DIR'],
    help: 'copy the data directory of a running or stopped node to a new one',
    examples: ['backup ~/chain-backup --data-dir ~/chain'],
  },
  compact: {
    kind: 'storage',
    args: [],
    help: 'give back space on the disk that a data directory no longer uses',
    examples: ['compact --data-dir ~/chain'],
  },
  accounts: { kind: 'client', args: [], help: 'list the funded accounts with their keys', examples: ['accounts', 'accounts --json'] },
  label: {
    kind: 'client',
    args: ['[ADDRESS]', '[NAME]'],
    help: "name an address; the name then stands for it in every command; '' removes it, and without arguments all names are listed",
    examples: ['label', 'label 1 alice', 'send alice 5', "label alice ''"],
  },
  balance: {
    kind: 'client',
    args: ['[ADDRESS]'],
    help: 'all that an address has (account 0): to spend, locked, with other owners, waiting for an import; all: of all accounts',
    examples: ['balance 1', 'balance', 'balance X-local1… --json', 'balance all'],
  },
  faucet: {
    kind: 'client',
    args: ['ADDRESS', '[AMOUNT]', '[UNIT]'],
    help: 'give an address funds: 1,000 AVAX unless an amount is typed',
    examples: ['faucet 1 5', 'faucet X-local1… 100 GLD'],
  },
  send: {
    kind: 'client',
    args: ['ADDRESS', 'AMOUNT', '[UNIT]'],
    help: 'send from an account (--from) to an address, or to several owners of one output (multisig: A,B); a number without a unit counts AVAX, or whole units of --asset',
    examples: ['send 1 1.5', 'send X-local1… 5 GLD --from 2 --memo hello', 'send 1 5000nAVAX', 'send 1,2,3 10 --threshold 2'],
  },
  export: {
    kind: 'client',
    args: ['CHAIN', 'AMOUNT', '[UNIT]', '[ADDRESS]'],
    help: "export to the P- or C-Chain, to an address there or the sender's own",
    examples: ['export P 5', 'export C 5 AVAX C-local1… --from 2'],
  },
  deposit: {
    kind: 'client',
    args: ['CHAIN', 'ADDRESS', 'AMOUNT', '[UNIT]'],
    help: 'deposit from the P- or C-Chain: an output that the address can import',
    examples: ['deposit P 1 5'],
  },
  import: {
    kind: 'client',
    args: ['[CHAIN]', '[ADDRESS]'],
    help: 'import what waits for an account (0) from the P- or C-Chain or both, to itself or --to; imported AVAX pays the fee',
    examples: ['import', 'import C', 'import 1', 'import P 1 --to X-local1…'],
  },
  'asset create': {
    kind: 'client',
    args: ['NAME', 'SYMBOL', '[SUPPLY]'],
    help: 'create an asset',
    examples: ['asset create Gold GLD 1000 --denomination 2', 'asset create Gold GLD --mintable'],
  },
  'asset mint': {
    kind: 'client',
    args: ['ASSET', 'ADDRESS', 'AMOUNT', '[UNIT]'],
    help: 'mint more of a mintable asset; the account that may mint it signs, account 0 pays the fee',
    examples: ['asset mint GLD 1 500'],
  },
  'asset show': {
    kind: 'client',
    args: ['ASSET'],
    help: 'name, symbol, denomination and owners of an asset',
    examples: ['asset show AVAX'],
  },
  'asset list': { kind: 'client', args: [], help: 'list the assets of the chain', examples: ['asset list', 'asset list --json'] },
  'nft create': {
    kind: 'client',
    args: ['NAME', 'SYMBOL'],
    help: 'create a family of NFTs',
    examples: ['nft create Cards CRD --groups 20'],
  },
  'nft mint': {
    kind: 'client',
    args: ['ASSET', 'ADDRESS', 'PAYLOAD'],
    help: 'mint an NFT; the payload is text, or bytes as 0x…',
    examples: ['nft mint CRD 1 https://example.com/1.json', `nft mint CRD 1 '{"name":"Ace"}'`],
  },
  'nft send': {
    kind: 'client',
    args: ['UTXO', 'ADDRESS'],
    help: 'send an NFT, by the ID of its output (serac nft list), to an address; the account that has it signs, account 0 pays the fee',
    examples: ['nft send 2Hb… 1'],
  },
  'nft list': {
    kind: 'client',
    args: ['[ADDRESS]'],
    help: 'list the NFTs of an address, or of all owners',
    examples: ['nft list', 'nft list 1'],
  },
  issue: {
    kind: 'client',
    args: ['HEX'],
    help: 'issue a signed transaction: its bytes with checksum as 0x…; serac tx checks them before',
    examples: ['issue 0x0000…'],
  },
  tx: {
    kind: 'client',
    args: ['ID|HEX'],
    help: 'show a transaction by ID, or decode and check its bytes',
    examples: ['tx 2Hb…', 'tx 0x0000…', 'tx 2Hb… --json'],
  },
  block: { kind: 'client', args: ['HEIGHT|ID'], help: 'show a block', examples: ['block 42', 'block latest'] },
  address: {
    kind: 'client',
    args: ['ADDRESS'],
    help: 'balances, newest outputs and all spellings of an address',
    examples: ['address 1', 'address X-local1…', 'address P-avax1… --json'],
  },
  utxo: { kind: 'client', args: ['ID|TX:INDEX'], help: 'show an output and what spent it', examples: ['utxo 2Hb…', 'utxo 2Hb…:0'] },
  mine: {
    kind: 'client',
    args: ['[BLOCKS]'],
    help: 'make blocks now; a node with --no-mining, or after dev.setAutomine, makes no others',
    examples: ['mine', 'mine 5', `rpc dev.setAutomine '{"enabled":false}'`],
  },
  reorg: {
    kind: 'client',
    args: ['[BLOCKS]'],
    help: 'replace the last blocks by others, without their transactions; the node needs --reorg-depth',
    examples: ['reorg', 'reorg 3'],
  },
  time: {
    kind: 'client',
    args: ['[TIME]'],
    help: "show or change the chain's clock; freeze stops it, reset sets it to the real time",
    examples: ['time', 'time +30d', 'time 2027-01-01T00:00:00Z', 'time freeze', 'time reset'],
  },
  'impersonate start': {
    kind: 'client',
    args: ['ADDRESS'],
    help: 'spend outputs of an address without its key: send --from ADDRESS',
    examples: ['impersonate start X-local1…'],
  },
  'impersonate stop': {
    kind: 'client',
    args: ['ADDRESS'],
    help: 'spend outputs of an address only with its signatures again',
    examples: ['impersonate stop X-local1…'],
  },
  reset: { kind: 'client', args: [], help: 'start again from genesis; snapshots stay', examples: ['reset', 'reset --yes'] },
  'snapshot save': { kind: 'client', args: ['[NAME]'], help: 'take a snapshot of the chain', examples: ['snapshot save clean'] },
  'snapshot revert': { kind: 'client', args: ['NAME'], help: 'go back to a snapshot', examples: ['snapshot revert clean'] },
  'snapshot list': { kind: 'client', args: [], help: 'list the snapshots', examples: ['snapshot list'] },
  'snapshot delete': { kind: 'client', args: ['NAME'], help: 'delete a snapshot', examples: ['snapshot delete clean'] },
  'snapshot diff': {
    kind: 'client',
    args: ['FROM', '[TO]'],
    help: 'what changed between two snapshots, or since one',
    examples: ['snapshot diff clean', 'snapshot diff clean later'],
  },
  'state save': { kind: 'client', args: ['FILE'], help: 'save the whole chain to a file', examples: ['state save chain.serac'] },
  'state load': { kind: 'client', args: ['FILE'], help: 'replace the chain by a saved one', examples: ['state load chain.serac'] },
  'webhooks create': {
    kind: 'client',
    args: ['URL', '[ADDRESSES]'],
    help: 'send a signed request to a URL for every transaction of addresses, or of --asset',
    examples: ['webhooks create https://example.org/hook X-local1…,2', 'webhooks create http://127.0.0.1:8080/ --asset AVAX --name all'],
  },
  'webhooks list': { kind: 'client', args: [], help: 'list the webhooks and how their deliveries go', examples: ['webhooks list'] },
  'webhooks show': { kind: 'client', args: ['ID'], help: 'show a webhook', examples: ['webhooks show 2b1c…'] },
  'webhooks enable': { kind: 'client', args: ['ID'], help: 'deliver again, from where it stopped', examples: ['webhooks enable 2b1c…'] },
  'webhooks disable': { kind: 'client', args: ['ID'], help: 'stop the deliveries of a webhook', examples: ['webhooks disable 2b1c…'] },
  'webhooks secret': { kind: 'client', args: ['ID'], help: 'give a webhook a new secret', examples: ['webhooks secret 2b1c…'] },
  'webhooks delete': { kind: 'client', args: ['ID'], help: 'delete a webhook', examples: ['webhooks delete 2b1c…'] },
  tail: {
    kind: 'client',
    args: [],
    help: 'print events as they happen',
    examples: ['tail', 'tail --address X-local1… --kind tx', 'tail --json'],
  },
  calls: {
    kind: 'client',
    args: [],
    help: 'print the calls to a node as they come: method, caller, answer, time',
    examples: ['calls', 'calls --json'],
  },
  watch: {
    kind: 'client',
    args: ['ADDRESS'],
    help: 'print what happens to an address, and what it has after each event',
    examples: ['watch 1', 'watch X-local1… --json'],
  },
  peers: { kind: 'client', args: [], help: 'list the peers of a node', examples: ['peers', 'peers --url http://127.0.0.1:9660 --json'] },
  doctor: {
    kind: 'client',
    args: ['[URL]'],
    help: 'find out what is wrong with a node, AvalancheGo or Serac',
    examples: ['doctor http://127.0.0.1:9650'],
  },
  rpc: {
    kind: 'client',
    args: ['METHOD', '[PARAMS]'],
    help: 'call a method of a node and print its result as JSON; serac rpc dev lists the methods of a service',
    examples: ['rpc avm.getHeight', `rpc avm.getUTXOs '{"addresses":["X-local1…"]}'`, 'rpc dev.listAtomic'],
  },
  run: {
    kind: 'client',
    args: ['SCRIPT', '[ARGS…]'],
    help: 'run a TypeScript or JavaScript file with the client of a node: of --url, or of a new one that ends with the script',
    examples: ['run script.ts', 'run --url http://127.0.0.1:9650 script.ts one two'],
  },
  record: {
    kind: 'client',
    args: ['FILE'],
    help: 'serve a node on another port with its clock frozen, and write the calls that change it to a file',
    examples: ['record bug.jsonl --listen 9700'],
  },
  replay: {
    kind: 'client',
    args: ['FILE'],
    help: 'send recorded calls to a new node, or to that of --url; exits with 1 if an answer differs',
    examples: ['replay bug.jsonl', 'replay bug.jsonl --url http://127.0.0.1:9650'],
  },
  mcp: {
    kind: 'client',
    args: [],
    help: 'serve the methods and routes of a node as tools of the Model Context Protocol, over stdin and stdout or over HTTP',
    examples: ['mcp', 'mcp --dev --url http://127.0.0.1:9650', 'mcp --listen 9660 --tools avm,data'],
  },
  ...testnetCommands,
  status: {
    kind: 'local',
    args: [],
    help: 'show whether a node that was started with --detach runs; exits with 1 if not',
    examples: ['status --data-dir ~/chain'],
  },
  stop: {
    kind: 'local',
    args: [],
    help: 'stop a node that was started with --detach, and wait until it has',
    examples: ['stop --data-dir ~/chain', 'stop --log-file ~/serac.log'],
  },
  logs: {
    kind: 'local',
    args: [],
    help: 'print the end of the log of a node that was started with --detach',
    examples: ['logs --data-dir ~/chain', 'logs --data-dir ~/chain --follow --lines 20'],
  },
  'config print': {
    kind: 'local',
    args: [],
    help: 'print the value of every flag and where it comes from',
    examples: ['config print --config-file serac.yaml'],
  },
  completions: {
    kind: 'local',
    args: ['bash|zsh|fish'],
    help: 'print a completion script for a shell',
    examples: ['completions bash >> ~/.bashrc'],
  },
  version: { kind: 'local', args: [], help: 'print the version', examples: ['version', 'version --json'] },
  help: {
    kind: 'local',
    args: ['[COMMAND]', '[SUBCOMMAND]'],
    help: 'explain a command, or list all commands or flags',
    examples: ['help', 'help send', 'help flags'],
  },
} as const satisfies { readonly [name: string]: CommandDefinition };

export type CommandName = keyof typeof commandTable;

export type Command = { readonly name: CommandName; readonly args: readonly string[] };

export const commandNames = Object.keys(commandTable) as readonly CommandName[];

export const isCommand = (text: string): text is CommandName => Object.hasOwn(commandTable, text);

/** The first words of commands that have two and are no command by themselves, such as `asset`. */
export const commandGroups: readonly string[] = [
  ...new Set(commandNames.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0] as string)),
].filter((word) => !isCommand(word));

/** The second words that may follow a first one. */
export const listSubcommands = (group: string): readonly string[] =>
  commandNames.filter((name) => name.startsWith(`${group} `)).map((name) => name.slice(group.length + 1));
