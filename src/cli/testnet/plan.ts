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

/** The data directory of a node. */
export const folderOf = (folder: string, number: number): string => `${folder}/node-${number}`;

/** A node of which only what the others must know is decided. */
type Identity = Pick<TestnetNode, 'number' | 'kind' | 'nodeID'> & { readonly ports: readonly [http: number, staking: number] };

/**
 * Plans the nodes of a testnet. Every Serac node lists all others as its first peers, because without sybil protection nodes do not learn of
 * each other. An AvalancheGo node lists AvalancheGo nodes only: at a restart its first peers must answer about the P-Chain.
 */
export function planTestnet(options: TestnetOptions, nodeIDs: readonly string[]): TestnetNode[] {
  const identities = kindsOf(options).map(
    (kind, i): Identity => ({ number: i + 1, kind, nodeID: nodeIDs[i] as string, ports: options.ports[i] ?? [0, 0] }),
  );
  return identities.map((identity) =>
    planNode(
      options,
      identity,
      identities
        .filter((other) => other !== identity)
        .map(({ kind, nodeID, ports }) => ({ kind, nodeID, endpoint: `127.0.0.1:${ports[1]}` })),
      nodeIDs,
    ),
  );
}

/** Plans a Serac node that is added to a running testnet. Beside Serac nodes only it does not vote: their validators are known from the start. */
export function planAdded(
  options: TestnetOptions,
  identity: Identity,
  running: readonly TestnetNode[],
  validators: readonly string[],
): TestnetNode {
  const peers = running.map(({ kind, nodeID, stakingAddress }) => ({ kind, nodeID, endpoint: stakingAddress }));
  return planNode(options, identity, peers, validators);
}

type KnownPeer = Pick<TestnetNode, 'kind' | 'nodeID'> & { readonly endpoint: string };

function planNode(
  options: TestnetOptions,
  { number, kind, nodeID, ports: [httpPort, stakingPort] }: Identity,
  others: readonly KnownPeer[],
  validators: readonly string[],
): TestnetNode {
  const isSerac = kind === 'Serac';
  const folder = folderOf(options.folder, number);
  const first = others.filter((peer) => isSerac || peer.kind === kind);
  const shared = [
    '--sybil-protection-enabled=false',
    `--data-dir=${folder}`,
    '--http-host=127.0.0.1',
    `--http-port=${httpPort}`,
    '--staking-host=127.0.0.1',
    `--staking-port=${stakingPort}`,
    '--public-ip=127.0.0.1',
    `--bootstrap-ips=${first.map(({ endpoint }) => endpoint).join(',')}`,
    `--bootstrap-ids=${first.map((peer) => peer.nodeID).join(',')}`,
  ];
  const flags = isSerac
    ? ['--dev-methods', ...options.seracFlags, ...echoFlags(options), ...majorityFlags(options, validators)]
    : options.avalancheGoFlags;
  return {
    number,
    kind,
    nodeID,
    url: `http://127.0.0.1:${httpPort}`,
    stakingAddress: `127.0.0.1:${stakingPort}`,
    folder,
    command: [...(isSerac ? options.seracCommand : options.avalancheGoCommand), ...shared, ...flags],
  };
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

/** The programs of the nodes, AvalancheGo's first, in the order of `planTestnet`. */
const kindsOf = ({ seracNodes, avalancheGoNodes }: Pick<TestnetOptions, 'seracNodes' | 'avalancheGoNodes'>): TestnetNode['kind'][] => [
  ...new Array<'AvalancheGo'>(avalancheGoNodes).fill('AvalancheGo'),
  ...new Array<'Serac'>(seracNodes).fill('Serac'),
];
