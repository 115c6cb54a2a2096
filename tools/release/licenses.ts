import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DependencyUse, dependencyTable, publishedDependencies } from './dependency-table.ts';
import { type LockedPackage, reachPackages, readLockFile } from './lock-file.ts';

/** Licences that published code may have: they ask for their text and name to be kept, and nothing else. */
const publishedLicenses = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD'];
/** Licences of tools; changes of their own files would have to be published, and there are none. */
const developmentLicenses = [...publishedLicenses, 'MPL-2.0'];

/** A sentence for each package whose licence is not allowed where it is used. */
export function findLicenseProblems(lock: ReadonlyMap<string, LockedPackage>): string[] {
  const published = reachPackages(lock, publishedDependencies);
  return [...lock].flatMap(([place, { name, version, license }]) => {
    const allowed = published.has(place) ? publishedLicenses : developmentLicenses;
    const isAllowed = license.split(' OR ').some((choice) => allowed.includes(choice));
    const use = published.has(place) ? 'published code' : 'a tool';
    return isAllowed ? [] : [`${name} ${version} has the licence ${license}, which ${use} must not have (tools/release/licenses.ts)`];
  });
}

/** The licence texts of the packages with the given uses, and of those they need, as one text for people. */
export function collectLicenseTexts(root: string, uses: readonly DependencyUse[]): string {
  const lock = readLockFile(root);
  const direct = publishedDependencies.filter((name) => uses.includes(dependencyTable[name].use));
  const places = [...reachPackages(lock, direct)].filter((place) => lock.get(place)?.isOptional === false).sort();
  const texts = places.map((place) => {
    const { name, version, license } = lock.get(place) as LockedPackage;
    return `${name} ${version} (${license})\n\n${findLicenseText(join(root, place)) ?? 'The package has no file with the text of its licence.'}`;
  });
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `Serac contains these packages, under these licences.${rule}${texts.join(rule)}\n`;
}

function findLicenseText(folder: string): string | undefined {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(\.\w+)?$/i.test(name));
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
}
