import type { Site } from '../../domain/site.ts';
import type { HttpMethod, OpenApiDocument } from '../../openapi/document-types.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { renderPage } from '../layout.tsx';
import { consolePath } from '../site/console-configuration.ts';
import { frameStylesheetOf } from '../site/design.ts';
import { Footer, Header } from '../site/shell.tsx';
import { guideSections } from './guide.tsx';
import { machinesSection } from './machines.tsx';
import { entry, type NavigationGroup, navigation, operationEntry, problemEntries } from './navigation.tsx';
import { type DescribedOperation, operationSection } from './operation.tsx';
import { schemaSection } from './schema.tsx';
import { script } from './script.ts';
import { startSection } from './start.tsx';
import { rules } from './stylesheet.ts';
import { Paragraphs, Prose } from './text.tsx';

/**
 * Renders the reference page as one HTML document. It loads nothing, so it works offline. Its header has no search
 * field, because its Content Security Policy allows no form.
 */
export function referencePage(document: OpenApiDocument, site: Pick<Site, 'name' | 'accent'>): HtmlPage {
  const { info, tags, components, servers } = document;
  const operations = describedOperations(document);
  const base = servers[0]?.url ?? '';
  const guide = [
    { id: 'start', title: 'Start here', content: startSection() },
    ...guideSections(document),
    { id: 'machines', title: 'Sign-in of machines', content: machinesSection() },
  ];
  const groups = tags.map((tag) => ({
    ...tag,
    title: titleOf(tag.name),
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const body = (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header site={site} signInPath={`${consolePath}?return=/api/v1/docs`} />
      <div class="reference">
        {navigation(base, contentsOf(guide, groups, Object.keys(components.schemas)))}
        <main id="main">
          <PageHeader info={info} base={base} />
          {guide.map(({ id, title, content }) => (
            <section class="guide" id={id}>
              <h2>{title}</h2>
              {content}
            </section>
          ))}
          {groups.map((group) => (
            <section class="group" id={group.name}>
              <h2>{group.title}</h2>
              <p class="lead">
                <Prose text={group.description} />
              </p>
              {group.operations.map((described) => operationSection(described, document))}
            </section>
          ))}
          <section class="group" id="schemas">
            <h2>Schemas</h2>
            <p class="lead">
              The types of request and response bodies. Responses can gain fields. Ignore fields that you do not know.
            </p>
            {Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}
          </section>
        </main>
      </div>
      <Footer site={site} />
    </>
  );
  const stylesheet = frameStylesheetOf(site) + rules;
  return renderPage({ title: `API reference · ${site.name}`, stylesheet, script, body });
}

function PageHeader({ info, base }: { info: OpenApiDocument['info']; base: string }) {
  const properties = {
    'Base path': `\`${base}\``,
    Format: 'JSON; errors are [problem documents](#refusals)',
    Authentication: '[bearer token or API key](#identity)',
    Document: '[OpenAPI 3.1](openapi.json)',
  };
  return (
    <header>
      <h1>{info.title} API reference</h1>
      <p class="lead">{info.summary}.</p>
      <Paragraphs text={info.description} />
      <dl class="properties">
        {Object.entries(properties).map(([name, text]) => (
          <>
            <dt>{name}</dt>
            <dd>
              <Prose text={text} />
            </dd>
          </>
        ))}
      </dl>
    </header>
  );
}

function contentsOf(
  guide: readonly { id: string; title: string }[],
  groups: readonly { name: string; title: string; operations: readonly DescribedOperation[] }[],
  schemas: readonly string[],
): NavigationGroup[] {
  const ofGroups = groups.map(({ title, name, operations }) => {
    return { title, id: name, isOpen: true, entries: operations.map(operationEntry) };
  });
  const ofSchemas = schemas.map((name) => entry(`schema-${name}`, name));
  return [
    { title: 'Guide', isOpen: true, entries: guide.map(({ id, title }) => entry(id, title)) },
    ...ofGroups,
    { title: 'Problem codes', id: 'problem-codes', isOpen: false, entries: problemEntries() },
    { title: 'Schemas', id: 'schemas', isOpen: false, entries: ofSchemas },
  ];
}

function describedOperations({ paths, servers }: OpenApiDocument): DescribedOperation[] {
  const base = servers[0]?.url ?? '';
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method as HttpMethod,
      url: (operation.servers?.[0]?.url.replace(/\/$/, '') ?? base) + path,
      operation,
    })),
  );
}

/** Returns the title of a tag, such as "Data connections" for `data-connections` or "API keys" for `api-keys`. */
function titleOf(tag: string): string {
  const words = tag.replaceAll('-', ' ').replace(/\bapi\b/, 'API');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
