/** Where a node is reached, and what it serves there. */
export type ServedUrls = {
  /** The URL of the main port, `http://127.0.0.1:9650`. */
  readonly url: string;
  readonly apis: {
    readonly info: boolean;
    readonly health: boolean;
    readonly metrics: boolean;
    readonly dev: boolean;
    readonly explorer?: boolean;
  };
  /** The URLs of the Data and Metrics APIs; undefined if disabled. */
  readonly data: string | undefined;
  readonly metricsApi: string | undefined;
  readonly strict: boolean;
};

/** Where the chain and its state are. */
export type BannerState = {
  readonly xBlockchainID: string;
  readonly height: bigint;
  /** undefined: in memory. */
  readonly stateDir: string | undefined;
  /** The file of `--state`. */
  readonly stateFile: string | undefined;
  /** The URL of the followed node. */
  readonly following: string | undefined;
  /** The address for peers, if this node has joined a network. */
  readonly peersAt?: string | undefined;
  readonly chains: readonly { readonly alias: string; readonly blockchainID: string }[];
};

/** The developer's chain: its accounts, and when it builds blocks. */
export type BannerAccounts = {
  /** When blocks are built; see config.ts. */
  readonly mining: { readonly automine: boolean; readonly interval: number };
  /** The address and balance (nAVAX) of the ewoq key; undefined if it has no funds. */
  readonly funded: { readonly address: string; readonly balance: bigint } | undefined;
  /** The accounts of the developer's chain with their balances in nAVAX; empty if the node follows another one. */
  readonly accounts: readonly {
    readonly index: number;
    readonly address: string;
    readonly label?: string | undefined;
    readonly balance: bigint;
  }[];
  /** The mnemonic of the accounts; undefined if it is the user's own, which is never shown, or if no account comes from it. */
  readonly mnemonic: string | undefined;
};

/** What the start banner shows of a node that has just become ready. */
export type BannerInfo = ServedUrls &
  BannerState &
  BannerAccounts & {
    readonly version: string;
    readonly readySeconds: number;
    readonly nodeID: string;
    readonly network: { readonly id: number; readonly name: string; readonly hrp: string };
    /** The number of reader processes. */
    readonly workers: number;
    readonly warnings: readonly string[];
  };

/** Every URL, with the name of what it serves. `name` is its key in the JSON banner. */
export const listUrls = (info: ServedUrls): NamedUrl[] => {
  const { url, apis, data, metricsApi, strict } = info;
  const reference = data ?? metricsApi;
  const rows: readonly (NamedUrl | false)[] = [
    apis.explorer === true && !strict && data !== undefined && { name: 'explorer', label: 'Explorer', url: `${data}/` },
    { name: 'avm', label: 'Node RPC', url: `${url}/ext/bc/X` },
    { name: 'wallet', label: 'Wallet RPC', url: `${url}/ext/bc/X/wallet` },
    apis.info && { name: 'info', label: 'Info', url: `${url}/ext/info` },
    apis.health && { name: 'health', label: 'Health', url: `${url}/ext/health` },
    apis.metrics && { name: 'metrics', label: 'Prometheus', url: `${url}/ext/metrics` },
    apis.dev && { name: 'dev', label: 'dev.*', url: `${url}/ext/dev` },
    !strict && { name: 'events', label: 'Events', url: `${url}/ext/events` },
    data !== undefined && { name: 'data', label: 'Data API', url: `${data}/v1` },
    metricsApi !== undefined && { name: 'metricsApi', label: 'Metrics API', url: `${metricsApi}/v2` },
    reference !== undefined && { name: 'reference', label: 'API docs', url: `${reference}/api` },
    { name: 'docs', label: 'Docs', url: `${url}/docs/` },
  ];
  return rows.filter((one) => one !== false);
};

type NamedUrl = { readonly name: string; readonly label: string; readonly url: string };
