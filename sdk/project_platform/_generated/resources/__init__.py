"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""
