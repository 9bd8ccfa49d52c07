import { create } from 'zustand'

/** Who is signed in. In memory only: a reload asks for a new token with the cookie. */
export interface Auth {
  roles: readonly string[]
  accessToken: string | null
  user_Id: string | null
  /** Somebody is signed in when this is set. */
  userName: string | null
}

export const SIGNED_OUT: Auth = { roles: [], accessToken: null, user_Id: null, userName: null }

export const useAuth = create<Auth>(() => SIGNED_OUT)
