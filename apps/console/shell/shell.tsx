import { signal, useSignal, useSignalEffect } from '@preact/signals';
import { type ComponentType } from 'preact';
import { messageOf, shownRead } from './answer.js';
import { declaredAreas } from './declared-areas.js';
import { Header, Navigation } from './header.js';
import { addressOf, followLinks, path } from './location.js';
import { isOpenTo, navigationOf, type PageProps } from './page.js';
import { findSession, session } from './session.js';
import { shownPage } from './shown-page.js';
import { SignIn } from './sign-in.js';

type LoadedPage =
  | { readonly status: 'loading' | 'unknown' }
  | { readonly status: 'closed'; readonly roles: readonly string[] }
  | { readonly status: 'failed'; readonly message: string }
  | {
      readonly status: 'loaded';
      readonly path: string;
      readonly View: ComponentType<PageProps>;
      readonly props: PageProps;
    };

/** Until the page of the address is loaded, the page before it is shown. */
const isLeaving = signal(true);

const ShownPage = () => {
  const loaded = useSignal<LoadedPage>({ status: 'loading' });
  const show = (next: LoadedPage): void => {
    loaded.value = next;
    isLeaving.value = false;
  };
  useSignalEffect(() => {
    isLeaving.value = true;
    const shownPath = path.value;
    const found = shownPage.value;
    shownRead.value = null;
    document.title = `${found?.page.title ?? 'No such page'} – Quipu`;
    if (!found) {
      show({ status: 'unknown' });
      return undefined;
    }
    const { page, parameters } = found;
    if (!isOpenTo(page, session.value?.user?.role ?? '')) {
      show({ status: 'closed', roles: page.roles ?? [] });
      return undefined;
    }
    let isLeft = false;
    page.load().then(
      ({ default: View }) => {
        const props = { parameters };
        if (!isLeft) show({ status: 'loaded', path: shownPath, View, props });
      },
      (error: unknown) => {
        if (!isLeft) show({ status: 'failed', message: messageOf(error) });
      },
    );
    return () => {
      isLeft = true;
    };
  });
  const now = loaded.value;
  switch (now.status) {
    case 'loading':
      return <p role="status">Loading …</p>;
    case 'unknown':
      return (
        <>
          <h1>There is no such page</h1>
          <a data-page href={addressOf('/')}>
            Home
          </a>
        </>
      );
    case 'closed':
      return <h1>This page is for the role {now.roles.join(' or ')}</h1>;
    case 'failed':
      return (
        <p class="failure" role="alert">
          The page cannot be loaded: {now.message} Load the console again.
        </p>
      );
    case 'loaded':
      return <now.View key={now.path} {...now.props} />;
  }
};

/** The header and the page of the address, or the form to sign in. */
export const Shell = () => {
  const failure = useSignal('');
  useSignalEffect(() => {
    findSession().catch((error: unknown) => {
      failure.value = messageOf(error);
    });
  });
  if (session.value === null) {
    return (
      <main>
        <p role="status">{failure.value === '' ? 'Loading …' : failure.value}</p>
      </main>
    );
  }
  if (session.value.user === null) return <SignIn />;
  const groups = navigationOf(declaredAreas, session.value.user.role);
  return (
    <div class="shell" onClick={followLinks}>
      <Navigation groups={groups} />
      <Header groups={groups} />
      <main aria-busy={isLeaving.value}>
        <ShownPage />
      </main>
    </div>
  );
};
