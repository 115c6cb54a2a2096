import type { ReferenceGroup } from '../reference/reference-entries.ts';

/** One line for each method and route, in groups. Rendered on the server only; the script filters the lines. */
export const ReferenceIndex = ({ groups }: { groups: readonly ReferenceGroup[] }) => (
  <div class="reference">
    <nav class="reference-nav" aria-label="Groups">
      <ul>
        {groups.map(({ id, name, entries }) => (
          <li data-link={id}>
            <a href={`#${id}`}>
              {name} <small>{entries.length}</small>
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <div>
      {groups.map(({ id: groupId, name, entries }) => (
        <section class="reference-group" id={groupId}>
          <h2>{name}</h2>
          <ul class="panel reference-lines">
            {entries.map(({ page, id, verb, path, summary, described }) => (
              <li class="reference-line" id={id}>
                <b class={`verb verb-${verb.toLowerCase()}`}>{verb}</b>
                <a href={`/api/${page}`}>{id}</a>
                <span>
                  {summary}
                  {described.kind === 'route' && <small>{path}</small>}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p class="panel message no-match" hidden>
        No route or method has all these words.
      </p>
    </div>
  </div>
);
