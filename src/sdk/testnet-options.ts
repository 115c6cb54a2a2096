/** Options of `createTestnet`: flags of `serac testnet` in camel case, and what concerns the caller. */
export type TestnetOptions = {
  /**
   * Directory of the nodes' data, which is kept; without it everything is removed at the end.
   * @example createTestnet(3, { dataDir: './testnet' })
   */
  readonly dataDir?: string | undefined;
  /**
   * `local` or the ID of a custom network.
   * @default 'local'
   * @example createTestnet(3, { networkId: 1337 })
   */
  readonly networkId?: string | number | undefined;
  /**
   * AvalancheGo's genesis JSON for a custom network.
   * @example createTestnet(3, { networkId: 1337, genesisFile: './genesis.json' })
   */
  readonly genesisFile?: string | undefined;
  /**
   * AvalancheGo's JSON of upgrade times of a custom network.
   * @example createTestnet(3, { networkId: 1337, upgradeFile: './upgrades.json' })
   */
  readonly upgradeFile?: string | undefined;
  /**
   * When upgrades of a custom network become active, from now on or as a date: Granite, or named ones.
   * @example createTestnet(3, { networkId: 1337, upgradeAt: ['durango=10s', 'granite=2027-01-31T12:00:00Z'] })
   */
  readonly upgradeAt?: string | readonly string[] | undefined;
  /**
   * Minimum time between two blocks.
   * @default '0s'
   * @example createTestnet(3, { minBlockDelay: '1s' })
   */
  readonly minBlockDelay?: string | undefined;
  /**
   * Transaction fee in nAVAX (the network's own).
   * @example createTestnet(3, { txFee: 2000000n })
   */
  readonly txFee?: bigint | number | undefined;
  /**
   * Fee of a CreateAssetTx in nAVAX (the network's own).
   * @example createTestnet(3, { createAssetTxFee: 10000000n })
   */
  readonly createAssetTxFee?: bigint | number | undefined;
  /**
   * An AvalancheGo 1.14 binary, for `avalanchegoNodes`.
   * @example createTestnet(2, { avalanchego: './avalanchego', avalanchegoNodes: 3 })
   */
  readonly avalanchego?: string | undefined;
  /**
   * AvalancheGo nodes beside the Serac nodes; theirs are the first numbers.
   * @default 0
   * @example createTestnet(2, { avalanchego: './avalanchego', avalanchegoNodes: 3 })
   */
  readonly avalanchegoNodes?: number | undefined;
  /**
   * Which lines the nodes write to their logs.
   * @default 'info'
   * @example createTestnet(3, { logLevel: 'debug' })
   */
  readonly logLevel?: 'off' | 'fatal' | 'error' | 'warn' | 'info' | 'trace' | 'debug' | 'verbo' | undefined;
  /**
   * Further flags of `serac testnet` as on the command line, such as those of `serac join`, which all Serac nodes get.
   * @example createTestnet(3, { flags: ['--network-ping-frequency=1s'] })
   */
  readonly flags?: readonly string[] | undefined;
  /**
   * Longest time in milliseconds that `createTestnet` and `ready` wait.
   * @default 60000
   * @example createTestnet(5, { timeout: 120_000 })
   */
  readonly timeout?: number | undefined;
};
