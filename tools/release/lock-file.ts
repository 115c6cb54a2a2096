import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of package-lock.json. */
export type LockedPackage = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The hash of the package's tarball, as `sha512-` and base 64. */
  readonly integrity: string;
  /** Whether only some systems install it. */
  readonly isOptional: boolean;
  /** Places of the packages it needs, in the lock file. */
  readonly needs: readonly string[];
};

export type LockRow = {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

/** All packages of the lock file of a folder, by place (`node_modules/bun`). */
export function readLockFile(root: string): ReadonlyMap<string, LockedPackage> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, LockRow> };
  const all = describePackages(packages);
  return new Map([...all].filter(([place]) => place !== ''));
}

/** Packages by place, with the places of what they need. The place of the folder itself is empty. */
export const describePackages = (packages: Readonly<Record<string, LockRow>>): ReadonlyMap<string, LockedPackage> =>
  new Map(Object.entries(packages).map(([place, row]) => [place, describe(place, row, packages)]));

function describe(place: string, row: LockRow, packages: Readonly<Record<string, LockRow>>): LockedPackage {
  const names = Object.keys({ ...row.dependencies, ...row.optionalDependencies });
  return {
    name: place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version: row.version,
    license: row.license ?? 'unknown',
    integrity: row.integrity ?? '',
    isOptional: row.optional ?? false,
    needs: names.flatMap((name) => findPlace(place, name, packages) ?? []),
  };
}

/** Where a package finds another one: in its own node_modules, or in those of the folders around it, as Node looks for it. */
function findPlace(from: string, name: string, packages: Readonly<Record<string, LockRow>>): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === '') return undefined;
  }
}

/** The places of the given packages and of all that they need. */
export function reachPackages(lock: ReadonlyMap<string, LockedPackage>, names: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const visit = (place: string): void => {
    if (reached.has(place)) return;
    reached.add(place);
    lock.get(place)?.needs.forEach(visit);
  };
  for (const name of names) visit(`node_modules/${name}`);
  return reached;
}
