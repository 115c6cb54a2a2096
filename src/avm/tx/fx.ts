import { type Id, idText } from '../../base/bytes/id.ts';
import { typeNames } from './type-ids.ts';

/** The id of a feature extension: its name in ASCII, padded with zero bytes. */
const paddedName = (name: string): Id => Buffer.from(name, 'ascii').toString('hex').padEnd(64, '0') as Id;

export type FxName = 'secp256k1fx' | 'nftfx' | 'propertyfx';

/** The feature extensions of the AVM by index; initial states refer to the index. */
export const fxs: readonly { readonly name: FxName; readonly id: Id }[] = [
  { name: 'secp256k1fx', id: paddedName('secp256k1fx') },
  { name: 'nftfx', id: paddedName('nftfx') },
  { name: 'propertyfx', id: paddedName('propertyfx') },
];

/** The fx index of a kind `<fx>.<type>` of output, input, operation or credential; -1 if it belongs to no fx. */
export const fxIndexOf = (kind: string): number => indexByKind.get(kind) ?? -1;

const indexByKind: ReadonlyMap<string, number> = new Map(
  Object.values(typeNames).map((kind) => [kind, fxs.findIndex(({ name }) => kind.startsWith(`${name}.`))]),
);

/** The fx id as JSON, which AvalancheGo adds to every output, input, operation and credential; the zero id for an unknown index. */
export const fxIdJson = (index: number): string => fxIdTexts[index] ?? '"11111111111111111111111111111111LpoYY"';

const fxIdTexts = fxs.map((fx) => `"${idText(fx.id)}"`);
