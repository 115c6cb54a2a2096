import { splitAddress } from '../text/text-format.ts';

/** What every page of one server needs to know: the network, the chain, and which sources this server has. Sent to the browser. */
export type PageContext = {
  readonly version: string;
  readonly network: { readonly id: number; readonly name: string; readonly hrp: string };
  readonly chain: {
    readonly id: string;
    readonly alias: string;
    readonly slug: string;
    readonly title: string;
    readonly feeAsset: string;
    readonly feeSymbol: string;
    readonly feeDecimals: number;
    /** Path or URL of its Node RPC. */
    readonly rpcUrl: string;
  };
  readonly otherChains: readonly { readonly id: string; readonly alias: string }[];
  /** The node that this one follows, without credentials; undefined if it follows none or should not name it. */
  readonly followedUrl: string | undefined;
  /** Names of the accounts of a developer's chain, and labels, by address without prefix; only for readers who may use `/ext/dev`. */
  readonly accountNames?: Readonly<Record<string, string>> | undefined;
  /** Names that the reader keeps in the browser, by address without prefix; the server does not know them. */
  readonly keptNames?: Readonly<Record<string, string>> | undefined;
  /** Sources beside the Data API. */
  readonly has: {
    /** Pages beside the API reference. */
    readonly explorer: boolean;
    readonly events: boolean;
    readonly rpc: boolean;
    /** The `dev.*` methods of a developer's chain: clock, blocks, snapshots. */
    readonly dev: boolean;
    /** `dev.faucet`, which a joined node with `--dev-methods` has too. */
    readonly faucet: boolean;
    /** Whether callers of `/ext/dev` and of the routes of webhooks must send a token. */
    readonly devToken: boolean;
    readonly health: boolean;
    readonly info: boolean;
    readonly metrics: boolean;
    /** The Prometheus metrics of the process. */
    readonly prometheus: boolean;
    /** The flags of the process, for callers that may see them. */
    readonly settings: boolean;
    /** Another node or a network of peers, whose blocks this node gets. */
    readonly follow: boolean;
  };
  /** Operation IDs of the Data and Metrics APIs: a page is shown only if the operations it reads exist. */
  readonly operations: readonly string[];
};

/** The base path of the chain's routes in the Data API. */
export const chainPath = ({ network, chain }: PageContext): string => `/v1/networks/${network.name}/blockchains/${chain.slug}`;

const bareAddress = (address: string): string => address.replace(/^[A-Za-z]+-/, '');

/** `account 1`, a label or a name that the reader keeps; undefined for an address that has none. */
export const accountName = (context: PageContext, address: string): string | undefined =>
  context.accountNames?.[bareAddress(address)] ?? keptName(context, address);

/** The name that the reader keeps. */
export const keptName = ({ keptNames }: PageContext, address: string): string | undefined => keptNames?.[bareAddress(address)];

/** The same, of a label not more characters than a shortened address has. */
export function shortName(context: PageContext, address: string): string | undefined {
  const name = accountName(context, address);
  return name !== undefined && name.length > maxShortName ? `${name.slice(0, maxShortName - 1)}…` : name;
}

const maxShortName = 20;

/** An owner in a picture: the name of the account, or the shortened address. */
export function ownerName(context: PageContext, address: string): string {
  const { prefix, short } = splitAddress(address, context.chain.alias);
  return shortName(context, address) ?? prefix + short;
}

/** `P-Chain`, `C-Chain`, the title of this chain, or the ID of an unknown chain. */
export function chainTitle({ chain, otherChains }: PageContext, id: string): string {
  if (id === chain.id) return chain.title;
  const other = otherChains.find((one) => one.id === id);
  return other === undefined ? id : `${other.alias}-Chain`;
}

/** What every view gets. `now` is the chain's clock in Unix seconds, when the page was made. */
export type ViewProps<T> = { readonly data: T; readonly context: PageContext; readonly now: number; readonly origin: string };
