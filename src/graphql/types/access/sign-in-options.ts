import type { SignInOptions } from '../../../domain/access/sign-in.ts'
import { signUpKinds } from '../../../ports/access/sessions.ts'
import { runsOpenly } from '../../builder/root-fields.ts'
import { boolean, enumType, objectType, of, string } from '../../builder/types.ts'

const SignUpEnum = enumType('SignUp', 'Who may sign up by e-mail.', signUpKinds, {
  open: 'Everyone.',
  domains: 'People with an e-mail address of certain domains.',
  closed: 'No one without an invitation.',
})

const SignInOptionsRef = objectType<SignInOptions>('SignInOptions', 'What to offer to someone who is not signed in.', {
  firstRun: boolean('Whether `seed` works without a credential now.'),
  email: boolean('Whether people sign in by e-mail and password.'),
  signUp: of(SignUpEnum, 'Who may sign up by e-mail.'),
  oidc: boolean('Whether people sign in by OpenID Connect.'),
  passwordReset: boolean('Whether `POST /api/auth/request-password-reset` mails a link that sets a new password.'),
  brand: string('The name in headers, tokens and the session cookie.'),
})

runsOpenly('signInOptions', SignInOptionsRef, (_, { domain }) => domain.signInOptions())
