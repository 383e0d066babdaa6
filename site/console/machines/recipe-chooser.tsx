import { useState } from 'preact/hooks';
import type { Block, ClientRecipe } from '../../../lib/pages/site/machines/recipes.ts';
import { CopyButton } from '../components/copy.tsx';
import { Field } from '../components/form.tsx';

/** Lets the user choose a client program, and shows the settings for it. */
export function RecipeChooser({ recipes }: { recipes: readonly ClientRecipe[] }) {
  const [id, setId] = useState('');
  const recipe = recipes.find((each) => each.id === id) ?? recipes[0];
  if (recipe === undefined) return null;
  return (
    <div class="recipe">
      <Field
        label="Your software"
        name="client"
        value={recipe.id}
        onChange={setId}
        options={recipes.map((each) => [each.id, each.client] as const)}
      />
      {recipe.blocks.map((block) => (
        <TextBlock key={`${recipe.id} ${block.title}`} {...block} />
      ))}
      {recipe.notes.length > 0 && (
        <ul>
          {recipe.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Shows a text to copy. The title says in which file or place to put it. */
export function TextBlock({ title, text }: Block) {
  return (
    <>
      <div class="block-title">
        <p>{title}</p>
        <CopyButton text={text} label={title} />
      </div>
      <pre tabindex={0} role="region" aria-label={title}>
        <code>{text}</code>
      </pre>
    </>
  );
}
