import type { SignInOptions } from '../../../domain/access/sign-in.ts'
import { signUpKinds } from '../../../ports/access/sessions.ts'
import { builder } from '../../builder/builder.ts'
import { runsOpenly } from '../../builder/root-fields.ts'
import { enumType } from '../../builder/types.ts'

const SignUpEnum = enumType('SignUp', 'Who may sign up by e-mail.', signUpKinds, {
  open: 'Everyone.',
  domains: 'People with an e-mail address of certain domains.',
  closed: 'No one without an invitation.',
})

const SignInOptionsRef = builder.objectRef<SignInOptions>('SignInOptions').implement({
  description: 'What to offer to someone who is not signed in.',
  fields: (t) => ({
    firstRun: t.exposeBoolean('firstRun', { description: 'Whether `seed` works without a credential now.' }),
    email: t.exposeBoolean('email', { description: 'Whether people sign in by e-mail and password.' }),
    signUp: t.expose('signUp', { type: SignUpEnum, description: 'Who may sign up by e-mail.' }),
    oidc: t.exposeBoolean('oidc', { description: 'Whether people sign in by OpenID Connect.' }),
    passwordReset: t.exposeBoolean('passwordReset', {
      description: 'Whether `POST /api/auth/request-password-reset` mails a link that sets a new password.',
    }),
    brand: t.exposeString('brand', { description: 'The name in headers, tokens and the session cookie.' }),
  }),
})

builder.queryField('signInOptions', (t) =>
  t.field({
    type: SignInOptionsRef,
    ...runsOpenly('signInOptions', (_, { domain }) => domain.signInOptions()),
  }),
)
