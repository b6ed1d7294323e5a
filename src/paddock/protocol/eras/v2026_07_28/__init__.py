"""Requests that stand alone: 2026-07-28."""
