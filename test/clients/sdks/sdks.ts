/**
 * Client libraries that work with a node, each with a short program beside this file. docs/start/sdks.md is written from this table
 * (tools/sdks-page.ts); stories/readme.story.ts runs the programs, and the other stories prove what is said here.
 */
export type Sdk = {
  /** The package and its version, as for `npm install`. */
  readonly install: string;
  /** The program in this folder. Its lines with `console.log` end with what they print. */
  readonly program: string;
  /** The command that starts its node. */
  readonly serac: string;
  /** What it is for. */
  readonly about: string;
  /** What fails in the SDK itself, on every node. */
  readonly fails: string;
};

export const sdks: readonly Sdk[] = [
  {
    install: '@avalanche-sdk/client@0.1.1 viem@2.38.5',
    program: 'avalanche-sdk.mjs',
    serac: 'serac --network-id fuji',
    about: 'wallet and Node RPC, today’s SDK',
    fails: 'On `local` its exports and imports throw: it has chain IDs of fuji and mainnet only. Sending works there',
  },
  {
    install: '@avalabs/core-wallets-sdk@3.0.2 ethers@6.7.1',
    program: 'core-wallets-sdk.mjs',
    serac: 'serac',
    about: 'the wallet library of Core',
    fails:
      '`fromBaseURL` keeps the number of the network as text, so that no node accepts its transactions: pass a context with a number. It does not load with `@ledgerhq/cryptoassets` 13.56, which npm installs: set 13.1.1 in the `overrides` of package.json',
  },
  {
    install: '@avalabs/avalanche-wallet-sdk@0.19.1 avalanche@3.16.0',
    program: 'avalanche-wallet-sdk.mjs',
    serac: 'serac',
    about: 'the wallet library of 2021 to 2023',
    fails:
      'Its `LocalnetConfig` has an outdated ID of the C-Chain: use `getConfigFromUrl`. Histories need an explorer of Ava Labs, which no node has',
  },
  {
    install: 'avalanche@3.16.0',
    program: 'avalanche.mjs',
    serac: 'serac',
    about: 'the client before avalanchejs 4; all 55 of its X-Chain examples print what they print on AvalancheGo',
    fails: '`getNodeIP` calls another method. Its constants of `local` have an outdated ID of the C-Chain',
  },
  {
    install: '@avalanche-sdk/chainkit@0.3.13',
    program: 'chainkit.mjs',
    serac: 'serac',
    about: 'Data and Metrics APIs',
    fails:
      'It ignores the `serverURL` of its constructor: pass it to every call. Only fuji and mainnet are allowed: `local` also answers to `fuji`. `evm.chains.*` and `getChainIdsForAddresses` refuse chains that are not public',
  },
  {
    install: '@avalabs/avacloud-sdk@0.13.0',
    program: 'avacloud-sdk.mjs',
    serac: 'serac',
    about: 'its predecessor; webhooks too',
    fails: 'As chainkit',
  },
  {
    install: '@avalabs/glacier-sdk@3.0.2',
    program: 'glacier-sdk.mjs',
    serac: 'serac',
    about: 'Data API, generated',
    fails: 'Nothing known',
  },
];
