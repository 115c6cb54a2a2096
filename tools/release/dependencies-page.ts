import { type DependencyUse, dependencyTable } from './dependency-table.ts';
import { type LockedPackage, reachPackages, readLockFile } from './lock-file.ts';

const titles: Readonly<Record<DependencyUse, string>> = {
  installed: 'Installed with Serac',
  bundled: 'Bundled into Serac',
  development: 'For development only',
};

/** The generated part of docs/understand/dependencies.md: why each direct dependency is there, and what it brings with it. */
export function renderDependenciesPage(root: string): string {
  const lock = readLockFile(root);
  const rowOf = (name: string, why: string): string => {
    const { version, license } = lock.get(`node_modules/${name}`) as LockedPackage;
    return `| \`${name}\` | ${version} | ${license} | ${why} | ${describeNeeds(lock, name)} |`;
  };
  return (Object.keys(titles) as DependencyUse[])
    .map((use) =>
      [
        `### ${titles[use]}`,
        '',
        '| package | version | licence | why | brings |',
        '|---|---|---|---|---|',
        ...Object.entries(dependencyTable)
          .filter(([, row]) => row.use === use)
          .map(([name, { why }]) => rowOf(name, why)),
      ].join('\n'),
    )
    .join('\n\n');
}

/** The packages that a package needs, directly or not; those for one system each are counted. */
function describeNeeds(lock: ReadonlyMap<string, LockedPackage>, name: string): string {
  const needs = [...reachPackages(lock, [name])].slice(1).map((place) => lock.get(place) as LockedPackage);
  const names = needs.filter(({ isOptional }) => !isOptional).map((item) => `\`${item.name}\` (${item.license})`);
  const systems = needs.filter(({ isOptional }) => isOptional).length;
  return [...names, ...(systems > 0 ? [`one of ${systems} packages, by system`] : [])].join(', ');
}
