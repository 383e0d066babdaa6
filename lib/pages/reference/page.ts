import type { HttpMethod, OpenApiDocument } from '../../openapi/document-types.ts';
import type { HtmlPage } from '../../operations/html-page.ts';
import { renderPage } from '../layout.ts';
import { html, prose } from '../markup.ts';
import { guideSections } from './guide.ts';
import { machinesSection } from './machines.ts';
import { badge, type DescribedOperation, operationSection } from './operation.ts';
import { schemaSection } from './schema.ts';
import { stylesheet } from './stylesheet.ts';

/** The reference page: one HTML text without script, image or font, so that it reads the same offline. */
export function referencePage(document: OpenApiDocument): HtmlPage {
  const { info, tags, components } = document;
  const operations = describedOperations(document);
  const guide = [
    ...guideSections(document),
    { id: 'machines', title: 'Signing in machines', content: machinesSection() },
  ];
  const groups = tags.map((tag) => ({
    ...tag,
    title: titleOf(tag.name),
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const body = html`<a class="skip" href="#main">Skip to content</a>
<nav aria-label="Contents"><details open><summary><strong>${info.title}</strong> API reference</summary>
<h2>Guide</h2><ul>${guide.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>
${groups.map(
  (group) =>
    html`<h2><a href="#${group.name}">${group.title}</a></h2><ul>${group.operations.map(({ method, operation }) => html`<li><a href="#${operation.operationId}">${badge(method)} <span>${operation.summary}</span></a></li>`)}</ul>`,
)}
<h2><a href="#schemas">Schemas</a></h2><ul>${Object.keys(components.schemas).map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul>
</details></nav>
<main id="main">
<header><h1>${info.title} API reference</h1><p class="lead">${info.summary}.</p><p>${prose(info.description)}</p></header>
${guide.map(({ id, title, content }) => html`<section class="guide" id="${id}"><h2>${title}</h2>${content}</section>`)}
${groups.map(
  (group) =>
    html`<section class="group" id="${group.name}"><h2>${group.title}</h2><p class="lead">${prose(group.description)}</p>${group.operations.map((described) => operationSection(described, document))}</section>`,
)}
<section class="group" id="schemas"><h2>Schemas</h2><p class="lead">What bodies and answers are made of. Answers may gain fields; ignore those that you do not know.</p>
${Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}</section>
</main>`;
  return renderPage({ title: `${info.title} API reference`, stylesheet, body });
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

/** `data-connections` is "Data connections", `api-keys` "API keys". */
function titleOf(tag: string): string {
  const words = tag.replaceAll('-', ' ').replace(/\bapi\b/, 'API');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
