/** The JSON of transactions and blocks, as `avm.getTx` and `avm.getBlock` return it with encoding `json`. */

export type OutputJson = {
  readonly addresses: readonly string[];
  readonly locktime: bigint;
  readonly threshold: number;
  /** Only of outputs that hold an amount. */
  readonly amount?: bigint;
  /** Only of NFT outputs. */
  readonly groupID?: number;
  /** Only of NFTs: hex after `0x`. */
  readonly payload?: string;
};

export type TransferableOutputJson = { readonly assetID: string; readonly fxID: string; readonly output: OutputJson };

export type TransferableInputJson = {
  readonly txID: string;
  readonly outputIndex: number;
  readonly assetID: string;
  readonly fxID: string;
  readonly input: { readonly amount: bigint; readonly signatureIndices: readonly number[] };
};

export type UnsignedTxJson = {
  readonly networkID: number;
  readonly blockchainID: string;
  readonly outputs: readonly TransferableOutputJson[];
  readonly inputs: readonly TransferableInputJson[];
  /** Hex after `0x`. */
  readonly memo: string;
  /** These four: only of a CreateAssetTx. */
  readonly name?: string;
  readonly symbol?: string;
  readonly denomination?: number;
  readonly initialStates?: readonly { readonly fxIndex: number; readonly fxID: string; readonly outputs: readonly OutputJson[] }[];
  /** Only of an OperationTx. */
  readonly operations?: readonly {
    readonly assetID: string;
    readonly inputIDs: readonly { readonly txID: string; readonly outputIndex: number }[];
    readonly fxID: string;
    readonly operation: { readonly [name: string]: unknown };
  }[];
  /** Both: only of an ImportTx. */
  readonly sourceChain?: string;
  readonly importedInputs?: readonly TransferableInputJson[];
  /** Both: only of an ExportTx. */
  readonly destinationChain?: string;
  readonly exportedOutputs?: readonly TransferableOutputJson[];
};

export type TxJson = {
  readonly unsignedTx: UnsignedTxJson;
  readonly credentials: readonly { readonly fxID: string; readonly credential: { readonly signatures: readonly string[] } }[];
  readonly id: string;
};

export type BlockJson = {
  readonly parentID: string;
  readonly height: number;
  /** Unix seconds. */
  readonly time: number;
  readonly merkleRoot: string;
  readonly txs: readonly TxJson[];
  readonly id: string;
};
