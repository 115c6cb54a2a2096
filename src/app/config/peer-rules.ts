import { getNetwork, isPublicNetwork, isStandardNetwork } from '../../avm/network.ts';
import { parseVersion } from '../../network/protocol/handshake.ts';
import type { Command } from './command.ts';
import { FlagError, type FlagInputs } from './flag-source.ts';
import type { Options } from './flag-table.ts';

/** Why flags of the developer's chain are refused by `serac join`. */
export const noDevReason =
  'peers decide the blocks of a joined node, so it funds no accounts, and has no time travel, snapshots, forks and state files';

/** Most nodes of `serac testnet`. */
export const maxTestnetNodes = 50;

/** Checks the rules of flags of nodes with peers. AvalancheGo: config/config.go and snow/consensus/snowball/parameters.go have the same. */
export function checkPeerFlags(command: Command, options: Options, given: FlagInputs): void {
  const createClash = (flag: keyof Options, text: string): FlagError =>
    new FlagError(`${given.get(flag)?.source ?? `--${flag}`}: ${text}`, { code: 'FLAG_CLASH', flag });
  if (options.chains !== undefined)
    throw createClash('chains', 'additional chains decide their blocks alone; a joined node runs the X-Chain');
  checkConsensus(options, createClash);
  if (command.name === 'testnet') checkTestnet(command, options, given, createClash);
  else checkJoin(options, createClash);
}

type CreateClash = (flag: keyof Options, text: string) => FlagError;

function checkJoin(options: Options, createClash: CreateClash): void {
  checkPublicNetwork(options, createClash);
  if (options['peer-version'] !== undefined && parseVersion(options['peer-version']) === undefined)
    throw createClash('peer-version', `${JSON.stringify(options['peer-version'])} is not a version such as 1.14.2`);
  if (options['sybil-protection-enabled'] && options['validators-from'] === undefined)
    throw createClash(
      'sybil-protection-enabled',
      'the validators are those of the P-Chain, which Serac does not run: give a node of the network with --validators-from URL, ' +
        'or join a network without sybil protection with --sybil-protection-enabled=false',
    );
  if (!options['sybil-protection-enabled'] && options['validators-from'] !== undefined)
    throw createClash(
      'validators-from',
      'without sybil protection the validators are this node and its peers; leave one of the two flags out',
    );
  if (options['sybil-protection-enabled'] && options.validators !== undefined)
    throw createClash(
      'validators',
      'with sybil protection the validators are those of the P-Chain; leave it out, or give --sybil-protection-enabled=false',
    );
  if (options.validators?.length === 0) throw createClash('validators', 'names no node; give node IDs, separated by commas');
  if (options['sybil-protection-disabled-weight'] === 0) throw createClash('sybil-protection-disabled-weight', 'must be more than 0');
}

/** What only throw-away networks allow. AvalancheGo: config/config.go, errSybilProtectionDisabledOnPublicNetwork. */
function checkPublicNetwork(options: Options, createClash: CreateClash): void {
  if (!isPublicNetwork(options['network-id'])) return;
  const { name } = getNetwork(options['network-id']);
  if (!options['sybil-protection-enabled'])
    throw createClash('sybil-protection-enabled', `sybil protection disabled on public network ${name}`);
  if (options['echo-other-chains'])
    throw createClash('echo-other-chains', `votes for blocks that it has not verified; that is refused on ${name}`);
  if (options['data-dir'] === undefined) throw createClash('data-dir', `the X-Chain of ${name} does not fit into memory; give a directory`);
}

function checkTestnet({ args: [nodes = ''] }: Command, options: Options, given: FlagInputs, createClash: CreateClash): void {
  if (isPublicNetwork(options['network-id'])) throw createClash('network-id', 'a test network needs an ID of its own');
  const count = /^\d{1,3}$/.test(nodes) ? Number(nodes) : 0;
  if (count < 1 || count > maxTestnetNodes)
    throw new FlagError(`${JSON.stringify(nodes)} is not a number of nodes from 1 to ${maxTestnetNodes}; usage: serac testnet NODES`, {
      code: 'FLAG_COMMAND',
      command: 'testnet',
    });
  if (options['avalanchego-nodes'] > 0 && options.avalanchego === undefined)
    throw createClash('avalanchego-nodes', 'needs the path of the program: --avalanchego PATH');
  if (options.avalanchego !== undefined && options['avalanchego-nodes'] === 0)
    throw createClash('avalanchego', 'needs the number of nodes: --avalanchego-nodes N');
  if (options['upgrade-at'] !== undefined) checkUpgradeAt(options, createClash);
  const own = testnetFlags.find((flag) => given.has(flag));
  if (own !== undefined) throw createClash(own, 'serac testnet chooses this for each node');
}

/** AvalancheGo: config/config.go, getUpgradeConfig, allows other upgrades only on custom networks. */
function checkUpgradeAt(options: Options, createClash: CreateClash): void {
  if (isStandardNetwork(options['network-id']))
    throw createClash('upgrade-at', 'the upgrades of the network local are fixed; name a custom network, such as --network-id 1337');
  if (options['upgrade-file'] !== undefined || options['upgrade-file-content'] !== undefined)
    throw createClash('upgrade-at', 'the file of upgrades has their times; leave one of the two flags out');
}

/** Flags of `serac join` that differ for each node of a testnet. */
const testnetFlags = [
  'staking-port',
  'bootstrap-ips',
  'bootstrap-ids',
  'validators',
  'validators-from',
  'staking-tls-cert-file',
  'staking-tls-key-file',
  'staking-tls-cert-file-content',
  'staking-tls-key-file-content',
  'staking-signer-key-file',
  'staking-signer-key-file-content',
  'data-port',
  'metrics-port',
] as const satisfies (keyof Options)[];

/** The votes of a poll that change the preference and that raise the confidence. AvalancheGo: config/config.go, getConsensusConfig. */
export const readQuorums = (options: Options): { readonly preference: number; readonly confidence: number } => ({
  preference: options['snow-quorum-size'] ?? options['snow-preference-quorum-size'],
  confidence: options['snow-quorum-size'] ?? options['snow-confidence-quorum-size'],
});

function checkConsensus(options: Options, createClash: CreateClash): void {
  const { preference, confidence } = readQuorums(options);
  const k = options['snow-sample-size'];
  if (preference <= Math.floor(k / 2) || preference > confidence || confidence > k)
    throw createClash(
      'snow-sample-size',
      `half of the sample (${k}) < preference quorum (${preference}) <= confidence quorum (${confidence}) <= sample must hold`,
    );
  const [repolls, beta] = [options['snow-concurrent-repolls'], options['snow-commit-threshold']];
  if (repolls < 1 || repolls > beta)
    throw createClash('snow-concurrent-repolls', `must be from 1 to --snow-commit-threshold: ${repolls}, ${beta}`);
  if (options['snow-optimal-processing'] < 1) throw createClash('snow-optimal-processing', 'must be more than 0');
  for (const flag of ['bootstrap-ancestors-max-containers-sent', 'bootstrap-ancestors-max-containers-received'] as const)
    if (options[flag] < 1) throw createClash(flag, 'must be more than 0');
  if (options['consensus-frontier-poll-frequency'] <= 0) throw createClash('consensus-frontier-poll-frequency', 'must be longer than 0s');
}
