import type { TestnetNode } from './node-status.ts';

/** What a testnet is made of. */
export type TestnetOptions = {
  readonly seracNodes: number;
  readonly avalancheGoNodes: number;
  /** The folder that holds a data directory per node. */
  readonly folder: string;
  /** Ports for each node: HTTP, then peers. */
  readonly ports: readonly (readonly [http: number, staking: number])[];
  /** The flags of `serac join` that all Serac nodes get. */
  readonly seracFlags: readonly string[];
  /** The flags that all AvalancheGo nodes get. */
  readonly avalancheGoFlags: readonly string[];
  /** The programs, with arguments that come before the flags. */
  readonly seracCommand: readonly string[];
  readonly avalancheGoCommand: readonly string[];
};

/** The data directory of each node, AvalancheGo's first, in the order of `planTestnet`. */
export const listFolders = ({
  seracNodes,
  avalancheGoNodes,
  folder,
}: Pick<TestnetOptions, 'seracNodes' | 'avalancheGoNodes' | 'folder'>): string[] =>
  kindsOf(seracNodes, avalancheGoNodes).map((_, i) => `${folder}/node-${i + 1}`);

/**
 * Plans the nodes of a testnet. Every Serac node lists all others as its first peers, because without sybil protection nodes do not learn of
 * each other. An AvalancheGo node lists AvalancheGo nodes only: at a restart its first peers must answer about the P-Chain.
 */
export function planTestnet(options: TestnetOptions, nodeIDs: readonly string[]): TestnetNode[] {
  const folders = listFolders(options);
  const kinds = kindsOf(options.seracNodes, options.avalancheGoNodes);
  const peers = kinds.map((kind, i) => ({ kind, nodeID: nodeIDs[i] as string, endpoint: `127.0.0.1:${options.ports[i]?.[1]}` }));
  return kinds.map((kind, i) => {
    const [httpPort = 0, stakingPort = 0] = options.ports[i] ?? [];
    const folder = folders[i] as string;
    const first = peers.filter((peer, other) => other !== i && (kind === 'Serac' || peer.kind === kind));
    const shared = [
      '--sybil-protection-enabled=false',
      `--data-dir=${folder}`,
      '--http-host=127.0.0.1',
      `--http-port=${httpPort}`,
      '--staking-host=127.0.0.1',
      `--staking-port=${stakingPort}`,
      '--public-ip=127.0.0.1',
      `--bootstrap-ips=${first.map(({ endpoint }) => endpoint).join(',')}`,
      `--bootstrap-ids=${first.map(({ nodeID }) => nodeID).join(',')}`,
    ];
    const isSerac = kind === 'Serac';
    const flags = isSerac
      ? ['--dev-methods', ...options.seracFlags, ...echoFlags(options), ...majorityFlags(options, nodeIDs)]
      : options.avalancheGoFlags;
    return {
      number: i + 1,
      kind,
      nodeID: nodeIDs[i] as string,
      url: `http://127.0.0.1:${httpPort}`,
      stakingAddress: `127.0.0.1:${stakingPort}`,
      folder,
      command: [...(isSerac ? options.seracCommand : options.avalancheGoCommand), ...shared, ...flags],
    };
  });
}

/** The P- and C-Chain of the AvalancheGo nodes stop if Serac nodes, which count as their validators, do not answer for them. */
const echoFlags = ({ avalancheGoNodes }: TestnetOptions): string[] => (avalancheGoNodes > 0 ? ['--echo-other-chains'] : []);

/**
 * Without AvalancheGo nodes, which count connected nodes only, all nodes of the testnet are its validators at any time, and more than half of them
 * decide: a part that is cut off waits, so that its chain is not another one when it is connected again. One unit of weight each, and polls of all
 * units, make this exact; flags of the user about polls replace it.
 */
function majorityFlags({ avalancheGoNodes, seracFlags }: TestnetOptions, nodeIDs: readonly string[]): string[] {
  if (avalancheGoNodes > 0) return [];
  const count = nodeIDs.length;
  const validators = `--validators=${nodeIDs.join(',')}`;
  return seracFlags.some((flag) => pollFlag.test(flag))
    ? [validators]
    : [
        validators,
        '--sybil-protection-disabled-weight=1',
        `--snow-sample-size=${count}`,
        `--snow-quorum-size=${Math.floor(count / 2) + 1}`,
      ];
}

const pollFlag = /^--(snow-(sample|quorum|preference-quorum|confidence-quorum)-size|sybil-protection-disabled-weight)=/;

const kindsOf = (seracNodes: number, avalancheGoNodes: number): TestnetNode['kind'][] => [
  ...new Array<'AvalancheGo'>(avalancheGoNodes).fill('AvalancheGo'),
  ...new Array<'Serac'>(seracNodes).fill('Serac'),
];
