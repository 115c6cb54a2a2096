import type { Credential } from '../tx/credential.ts';
import type { FxName } from '../tx/fx.ts';
import type { TransferableIn } from '../tx/input.ts';
import type { FxOperation } from '../tx/operation.ts';
import type { Output } from '../tx/output.ts';
import type { FxRules, FxValue } from './fx.ts';
import { nftRules } from './fx-nft.ts';
import { propertyRules } from './fx-property.ts';
import { secpRules } from './fx-secp.ts';
import type { SignatureContext } from './owners.ts';

const table: { readonly [N in FxName]: FxRules<N> } = { secp256k1fx: secpRules, nftfx: nftRules, propertyfx: propertyRules };

/** Verifies one input, output, operation or credential of any feature extension, without the chain state. */
export const verifyValue = (value: FxValue): void => (values[value.kind] as (value: FxValue) => void)(value);

/** Verifies that an input may spend an output. The credential's type selects the feature extension, as in AvalancheGo. */
export const verifyFxTransfer = (input: TransferableIn, credential: Credential, spent: Output, signing: SignatureContext): void =>
  table[fxNameOf(credential.kind)].transfer(input, credential, spent, signing);

/** Verifies that an operation may spend outputs. */
export const verifyFxOperation = (
  operation: FxOperation,
  credential: Credential,
  spent: readonly Output[],
  signing: SignatureContext,
): void => (operations[operation.kind] as OperationRule)(operation, credential, spent, signing);

const fxNameOf = (kind: `${FxName}.${string}`): FxName => kind.slice(0, kind.indexOf('.')) as FxName;

type OperationRule = (operation: FxOperation, credential: Credential, spent: readonly Output[], signing: SignatureContext) => void;

const values: { readonly [K in FxValue['kind']]: (value: Extract<FxValue, { kind: K }>) => void } = {
  ...table.secp256k1fx.values,
  ...table.nftfx.values,
  ...table.propertyfx.values,
};

const operations = { ...table.secp256k1fx.operations, ...table.nftfx.operations, ...table.propertyfx.operations };
