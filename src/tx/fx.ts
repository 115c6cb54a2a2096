import { type Id, idText } from '../bytes/id.ts';
import { typeNames } from './type-ids.ts';

/** A feature extension's id is its name in ASCII, padded with zeros. */
const paddedName = (name: string): Id => Buffer.from(name, 'ascii').toString('hex').padEnd(64, '0') as Id;

export type FxName = 'secp256k1fx' | 'nftfx' | 'propertyfx';

/** The feature extensions of the AVM in the order of their index, which initial states refer to. */
export const fxs: readonly { readonly name: FxName; readonly id: Id }[] = [
  { name: 'secp256k1fx', id: paddedName('secp256k1fx') },
  { name: 'nftfx', id: paddedName('nftfx') },
  { name: 'propertyfx', id: paddedName('propertyfx') },
];

/** A kind is `<fx>.<type>`: the fx index of an output, input, operation or credential; -1 for a kind of no fx. */
export const fxIndexOf = (kind: string): number => indexByKind.get(kind) ?? -1;

const indexByKind: ReadonlyMap<string, number> = new Map(
  Object.values(typeNames).map((kind) => [kind, fxs.findIndex(({ name }) => kind.startsWith(`${name}.`))]),
);

/** The fx id as the peer shows it beside every output, input, operation and credential; `null` text for an index nobody has. */
export const fxIdJson = (index: number): string => fxIdTexts[index] ?? '"11111111111111111111111111111111LpoYY"';

const fxIdTexts = fxs.map((fx) => `"${idText(fx.id)}"`);
